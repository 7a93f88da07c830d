"""Sentences: statements, questions, requests, clauses joined to clauses, short replies."""

from __future__ import annotations

from calque.data.clauses import PLAIN_PRESENT, Clauses
from calque.data.entries import NOTHING, SLOT_BITS, Side, Verb, Word
from calque.data.language import INFINITIVE, QUESTION, STATEMENT
from calque.data.phrases import PERSON

_REPLIES = ("yes", "no", "thanks", "good morning", "good night", "really?")
_ASKING = ("what", "who?", "where", "why", "how")


class Grammar(Clauses):
    """Draws sentence pairs: source and target text, words separated by spaces."""

    def sentence(self) -> Side:
        """One sentence with its capital letter and its final mark."""
        self.feminine = False
        chance = self.draw()
        if chance < 0.6:
            source, target = self.clause(STATEMENT, 2)
            mark = "."
        elif chance < 0.74:
            source, target = self.subordinate()
            mark = "."
        elif chance < 0.84:
            source, target = self.coordinate()
            mark = "."
        elif chance < 0.905:
            source, target = self.clause(QUESTION, 1)
            mark = "?"
        elif chance < 0.935:
            source, target = self.asking()
            mark = "?"
        elif chance < 0.965:
            source, target = self.request()
            mark = "."
        else:
            source, target = self.reply()
            mark = "!" if self.draw() < 0.3 else "."
        return (
            f"{source[0].upper()}{source[1:]} {mark}",
            f"{target[0].upper()}{target[1:]} {mark}",
        )

    def subordinate(self) -> Side:
        """Two clauses, one of which says why, when or under what condition."""
        conjunction: Word = self.tie(self.lexicon.conjunctions[self.bits(SLOT_BITS)])
        main, other = self.clause(STATEMENT, 1), self.clause(STATEMENT, 1)
        inner = self.language.embed(conjunction, other[0])
        leads = self.language.head_final or self.draw() < 0.4
        source = f"{inner} , {main[0]}" if leads else f"{main[0]} {inner}"
        word = self.variant(conjunction.target)
        english_leads = self.style() < (0.35 if self.language.head_final else 0.9 if leads else 0.1)
        if english_leads:
            return source, f"{word} {other[1]} , {main[1]}"
        return source, f"{main[1]} {word} {other[1]}"

    def coordinate(self) -> Side:
        """Two clauses joined by and, but, or."""
        chance = self.draw()
        name = "and" if chance < 0.6 else "but" if chance < 0.92 else "or"
        word: Word = self.tie(self.lexicon.word[name])
        first, second = self.clause(STATEMENT, 1), self.clause(STATEMENT, 1)
        if self.language.head_final:
            source = f"{first[0]} {word.source[0]} , {second[0]}"
        else:
            source = f"{first[0]} {word.source[0]} {second[0]}"
        comma = ", " if self.style() < 0.3 else ""
        return source, f"{first[1]} {comma}{self.variant(word.target)} {second[1]}"

    def asking(self) -> Side:
        """A question with a question word."""
        name = _ASKING[int(self.draw() * len(_ASKING))]
        word: Word = self.tie(self.lexicon.word[name])
        lexicon = self.lexicon
        if name in ("what", "who?"):
            verb: Verb = self.tie(lexicon.by_subject[PERSON][self.bits(SLOT_BITS)])
            if name == "what":
                subject, object = self.subject(PERSON, 1), NOTHING
            else:
                subject = NOTHING
                kind = verb.objects[int(self.draw() * len(verb.objects))]
                object = self.noun_phrase(kind, lexicon.object, 1)
            setting = PLAIN_PRESENT._replace(tense=int(self.draw() * 2))
            mood = QUESTION if name == "what" else STATEMENT
            source, target = self.say(subject, verb, object, setting, mood)
        elif name == "where":
            source, target = self.intransitive(QUESTION, 0)
        else:
            source, target = self.clause(QUESTION, 0)
        return self.language.ask(word.source[0], source), f"{self.variant(word.target)} {target}"

    def request(self) -> Side:
        """Something that somebody is asked to do."""
        verb: Verb = self.tie(self.lexicon.by_subject[PERSON][self.bits(SLOT_BITS)])
        kind = verb.objects[int(self.draw() * len(verb.objects))]
        object = self.noun_phrase(kind, self.lexicon.object, 1)
        source, target = self.say(NOTHING, verb, object, PLAIN_PRESENT, INFINITIVE)
        if self.draw() < 0.6:
            please: Word = self.tie(self.lexicon.word["please"])
            word = please.target[0]
            polite = f"{word} {target}" if self.style() < 0.6 else f"{target} , {word}"
            return f"{source} {please.source[0]}", polite
        return source, target

    def reply(self) -> Side:
        """A greeting or a short answer, perhaps to somebody."""
        word: Word = self.tie(self.lexicon.word[_REPLIES[int(self.draw() * len(_REPLIES))]])
        source, target = word.source[0], self.variant(word.target)
        chance = self.draw()
        if chance < 0.3:
            who = self.named(self.lexicon.bare)
            return f"{source} , {who.source}", f"{target} , {who.target}"
        if chance < 0.6:
            clause = self.clause(STATEMENT, 0)
            return f"{source} , {clause[0]}", f"{target} , {clause[1]}"
        return source, target
