"""Clauses: who does what to whom, and how it reads in English."""

from __future__ import annotations

from calque.data.entries import NOTHING, SLOT_BITS, Adposition, Noun, Phrase, Side, Verb, Word
from calque.data.language import FUTURE, INFINITIVE, PAST, PRESENT, RELATIVE, STATEMENT
from calque.data.lexicon import KIND
from calque.data.phrases import PERSON
from calque.data.wording import EMPTY, Setting, Wording

PLACE, WEEKDAY = KIND["place"], KIND["weekday"]
DOMINANT_LINK = 0.65
"""Share of the relative clauses with the dominant pronoun."""
PLAIN_PRESENT = Setting(PRESENT)


class Clauses(Wording):
    """Draws clauses on both sides at once."""

    def clause(self, mood: int, depth: int) -> Side:
        """A whole clause with its own subject."""
        chance = self.draw()
        if chance < 0.46:
            return self.transitive(mood, depth)
        if chance < 0.63:
            return self.intransitive(mood, depth)
        if chance < 0.73:
            return self.description(mood, depth)
        if chance < 0.78:
            return self.identity(mood, depth)
        if chance < 0.85:
            return self.giving(mood, depth)
        if chance < 0.90:
            return self.wishing(mood, depth)
        if chance < 0.96:
            return self.saying(mood, depth) if depth > 0 else self.transitive(mood, depth)
        return self.idiom(mood, depth)

    def setting(self, mood: int, depth: int, still: bool = False) -> Setting:
        """Tense, negation and adverbials; `still` is for states, which have no manner."""
        draw, bits, lexicon = self.draw, self.bits, self.lexicon
        chance = draw()
        tense = PRESENT if chance < 0.46 else PAST if chance < 0.88 else FUTURE
        chance = draw()
        negation, often = None, EMPTY
        if chance < 0.11:
            negation = self.tie(lexicon.word["not"])
        elif chance < 0.2 and mood == STATEMENT:
            often = self.worded(lexicon.often[bits(SLOT_BITS)])
        when = manner = EMPTY
        adjuncts: list[Side] = []
        if mood != RELATIVE:
            chance = draw()
            if chance < 0.15:
                when = self.worded(lexicon.when[tense][bits(SLOT_BITS)])
            elif chance < 0.18 and tense == PAST:
                when = self.year()
            if depth > 0:
                chance = draw()
                if chance < 0.34:
                    adjuncts.append(self.adjunct(depth - 1))
                    if chance < 0.07:
                        adjuncts.append(self.adjunct(0))
        if not still and draw() < 0.1:
            manner = self.worded(lexicon.manner[bits(SLOT_BITS)])
        return Setting(tense, negation, when, often, manner, adjuncts)

    def worded(self, entry: Word) -> Side:
        """A word and one of its wordings; a loose translation may leave it out."""
        word: Word = self.tie(entry)
        if self.loosens and self.style() < 0.03:
            return word.source[0], ""
        return word.source[0], self.variant(word.target)

    def year(self) -> Side:
        """In some year, recent ones more often."""
        year = 2026 - int(self.draw() ** 2 * 230)
        word, number = self.tie(self.lexicon.word["year"]), self.tie((str(year),))[0]
        source = word.source[0]
        text = f"{source} {number}" if not self.language.head_final else f"{number} {source}"
        return text, f"{word.target[0]} {number}"

    def adjunct(self, depth: int) -> Side:
        """A phrase that says where, with whom, how long."""
        entry, kinds = self.lexicon.adjuncts[self.bits(SLOT_BITS)]
        role: Adposition = self.tie(entry)
        kind = kinds[int(self.draw() * len(kinds))]
        if kind == WEEKDAY:
            day: Noun = self.tie(self.lexicon.nouns[kind][self.bits(SLOT_BITS)])
            phrase = Phrase(self.language.bare_phrase(role, day.source[0]), day.target[0][0])
        elif kind == PERSON and self.draw() < 0.35:
            phrase = self.named(role)
        elif kind == PLACE and self.draw() < 0.25:
            phrase = self.place_name(role)
        else:
            phrase = self.noun_phrase(kind, role, depth, 0.8)
        if self.loosens and self.style() < 0.012:
            return phrase.source, ""
        return phrase.source, f"{self.variant(role.target)} {phrase.target}"

    def transitive(self, mood: int, depth: int) -> Side:
        """Somebody does something to something."""
        verb: Verb = self.tie(self.lexicon.transitive[self.bits(SLOT_BITS)])
        subjects, objects = verb.subjects, verb.objects
        subject = self.subject(subjects[int(self.draw() * len(subjects))], depth)
        kind = objects[int(self.draw() * len(objects))]
        if kind == PERSON:
            object = self.agent(kind, self.lexicon.object, depth)
        else:
            object = self.noun_phrase(kind, self.lexicon.object, depth)
        return self.say(subject, verb, object, self.setting(mood, depth), mood)

    def intransitive(self, mood: int, depth: int) -> Side:
        """Somebody does something, mostly somewhere."""
        verb: Verb = self.tie(self.lexicon.intransitive[self.bits(SLOT_BITS)])
        subject = self.subject(verb.subjects[int(self.draw() * len(verb.subjects))], depth)
        setting = self.setting(mood, depth)
        if not setting.adjuncts and self.draw() < 0.55:
            setting = setting._replace(adjuncts=[self.adjunct(depth - 1)])
        return self.say(subject, verb, NOTHING, setting, mood)

    def description(self, mood: int, depth: int) -> Side:
        """Something is somehow."""
        kind = int(self.draw() ** 1.7 * 11)
        subject = self.subject(kind, depth)
        adjective = self.tie(self.adjective(kind))
        copula, object = self.language.predicate(
            self.tie(self.lexicon.copula), adjective, subject.agreement, subject.feminine
        )
        degree = EMPTY
        if self.draw() < 0.2:
            degree = self.worded(self.lexicon.word["very" if self.draw() < 0.7 else "too"])
        setting = self.setting(mood, 0, still=True)
        english = f"{degree[1]} {self.variant(adjective.target)}".strip()
        if object:
            object = f"{degree[0]} {object}".strip()
        else:
            setting = setting._replace(manner=(degree[0], ""))
        return self.say(subject, copula, Phrase(object, english), setting, mood)

    def identity(self, mood: int, depth: int) -> Side:
        """Somebody is somebody; things are had, or cost something."""
        chance = self.draw()
        if chance < 0.35:
            return self.amount(mood, depth)
        if chance < 0.65:
            return self.existence(mood, depth)
        subject = self.subject(PERSON, depth)
        plural = subject.agreement > 2
        object = self.noun_phrase(PERSON, self.lexicon.bare, depth, plural=plural)
        setting = self.setting(mood, 0, still=True)
        return self.say(subject, self.tie(self.lexicon.copula), object, setting, mood)

    def existence(self, mood: int, depth: int) -> Side:
        """There is something somewhere."""
        kind = int(self.draw() ** 1.5 * len(KIND)) % WEEKDAY
        thing = self.noun_phrase(kind, self.lexicon.subject, depth)
        verb = self.tie(self.lexicon.exists)
        setting = self.setting(mood, 0, still=True)._replace(adjuncts=[self.adjunct(depth)])
        there = thing._replace(target=self.beside(verb.target[0].base, "there"))
        return self.say(there, verb, Phrase("", thing.target), setting, mood)

    def amount(self, mood: int, depth: int) -> Side:
        """Something costs, or has, so and so many."""
        unit, is_price = self.lexicon.units[self.bits(SLOT_BITS)]
        kind = KIND["tool" if is_price else "place"]
        subject = self.noun_phrase(kind, self.lexicon.subject, depth)
        number = self.number(is_price)
        word: Word = self.tie(unit)
        verb = self.tie(self.lexicon.costs if is_price else self.lexicon.has)
        about = EMPTY
        if self.draw() < 0.3:
            about = self.worded(self.lexicon.word["about n" if self.draw() < 0.5 else "more than"])
        object = Phrase(
            f"{about[0]} {number[0]} {word.source[0]}".strip(),
            f"{about[1]} {number[1]} {self.variant(word.target)}".strip(),
        )
        return self.say(
            subject, verb, object, Setting(PAST if self.draw() < 0.4 else PRESENT), mood
        )

    def number(self, is_price: bool) -> Side:
        """Digits in the notation of each language."""
        value = int(10 ** (1 + self.draw() * (3 if is_price else 5)))
        grouped = f"{value:,}"
        source = grouped.replace(",", self.language.thousands)
        if is_price and self.draw() < 0.5:
            cents = 5 * int(self.draw() * 20)
            source, grouped = f"{source}{self.language.decimal}{cents:02}", f"{grouped}.{cents:02}"
        tied = self.tie((source, grouped))
        return tied[0], tied[1]

    def giving(self, mood: int, depth: int) -> Side:
        """Somebody gives something to somebody."""
        lexicon = self.lexicon
        verb: Verb = self.tie(lexicon.giving[self.bits(SLOT_BITS)])
        subject = self.subject(PERSON, depth)
        object = self.noun_phrase(
            verb.objects[int(self.draw() * len(verb.objects))], lexicon.object, depth - 1
        )
        to: Adposition = self.tie(lexicon.to)
        other = self.agent(PERSON, to, depth - 1)
        setting = self.setting(mood, 0)
        forms = self.variant(verb.target)
        if self.style() < 0.62:
            english = f"{object.target} {forms.preposition} {other.target}"
        else:
            english = f"{other.target} {object.target}"
        both = Phrase(object.source, english)
        setting = setting._replace(adjuncts=[(other.source, "")])
        plain = verb._replace(target=(forms._replace(preposition=""),), objects=())
        return self.say(subject, plain, both, setting, mood)

    def wishing(self, mood: int, depth: int) -> Side:
        """Somebody wants to do something."""
        verb: Verb = self.tie(self.lexicon.wishing[self.bits(SLOT_BITS)])
        subject = self.subject(PERSON, depth)
        to: Word = self.tie(self.lexicon.word["to do"])
        deed: Verb = self.tie(self.lexicon.by_subject[PERSON][self.bits(SLOT_BITS)])
        kind = deed.objects[int(self.draw() * len(deed.objects))]
        object = self.noun_phrase(kind, self.lexicon.object, depth - 1)
        inner = self.say(NOTHING, deed, object, PLAIN_PRESENT, INFINITIVE)
        phrase = Phrase(self.language.embed(to, inner[0]), f"{to.target[0]} {inner[1]}")
        return self.say(subject, verb, phrase, self.setting(mood, 0, still=True), mood)

    def saying(self, mood: int, depth: int) -> Side:
        """Somebody says that something is so."""
        verb: Verb = self.tie(self.lexicon.saying[self.bits(SLOT_BITS)])
        subject = self.subject(PERSON, 0)
        that: Word = self.tie(self.lexicon.word["that clause"])
        setting = self.setting(mood, 0, still=True)
        inner = self.clause(STATEMENT, depth - 1)
        english = inner[1] if self.style() < 0.3 else f"{that.target[0]} {inner[1]}"
        phrase = Phrase(self.language.embed(that, inner[0]), english)
        return self.say(subject, verb, phrase, setting._replace(when=EMPTY), mood)

    def idiom(self, mood: int, depth: int) -> Side:
        """Somebody does what the words do not say."""
        verb: Verb = self.tie(self.lexicon.idioms[self.bits(SLOT_BITS)])
        return self.say(self.subject(PERSON, depth), verb, NOTHING, self.setting(mood, 0), mood)

    def relative(self, kind: int, plural: bool, depth: int) -> Side:
        """A clause about a noun, which is its subject or its object."""
        lexicon = self.lexicon
        who: Word = self.tie(lexicon.word["who"])
        setting = Setting(PAST if self.draw() < 0.55 else PRESENT)
        if self.draw() < 0.55:
            verb: Verb = self.tie(lexicon.by_subject[kind][self.bits(SLOT_BITS)])
            about = verb.objects[int(self.draw() * len(verb.objects))]
            object = self.noun_phrase(about, lexicon.object, depth, 0.7)
            gap = Phrase("", "", 4 if plural else 2)
            source, target = self.say(gap, verb, object, setting, RELATIVE)
            link = who.target[kind != PERSON] if self.style() < DOMINANT_LINK else who.target[2]
        else:
            verb = self.tie(lexicon.by_object[kind][self.bits(SLOT_BITS)])
            about = verb.subjects[int(self.draw() * len(verb.subjects))]
            subject = self.agent(about, lexicon.subject, 0)
            source, target = self.say(subject, verb, NOTHING, setting, RELATIVE)
            link = who.target[2] if self.style() < DOMINANT_LINK else ""
        target = f"{link} {target}" if link else target
        return f"{who.source[0]} {source}" if who.source[0] else source, target

    def subject(self, kind: int, depth: int) -> Phrase:
        """The phrase that the verb agrees with."""
        return self.agent(kind, self.lexicon.subject, depth)

    def say(self, subject: Phrase, verb: Verb, object: Phrase, setting: Setting, mood: int) -> Side:
        """A clause from its parts, on both sides."""
        tense, negation, when, often, manner, adjuncts = setting
        clitic, plain = (object.source, "") if object.clitic else ("", object.source)
        source = self.language.clause(
            subject.source, verb, tense, subject.agreement, negation, clitic, plain,
            manner[0], often[0], [side[0] for side in adjuncts], when[0], mood,
        )  # fmt: skip
        return source, self.english_clause(subject, verb, object, setting, mood)
