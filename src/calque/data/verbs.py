"""The English verbs of the generated corpus, most frequent first, with the kinds they go with.

An entry is written as in `calque.data.words`; `_` stands before a particle, `@` before the
preposition of the object. Then come the kinds of subject and, for some, the kinds of object.
"""

from __future__ import annotations

VERBS = """
    see/saw/seen|notice person,animal,group person,animal,vehicle,building,place,tool
    have/had/had|own person,group tool,vehicle,clothing,animal,idea,text,building
    find/found/found|discover person,animal,group tool,person,animal,food,text,clothing
    want/want|desire person,group tool,food,drink,vehicle,idea,clothing
    know/knew/known|recognize person,group person,place,text,idea
    buy/bought/bought|purchase person,group tool,food,drink,vehicle,clothing,building,text,music
    read/read/read|study person,group text
    eat/ate/eaten|consume person,animal food,food,plant
    drink/drank/drunk|sip/sipped/sipped person,animal drink
    take/took/taken|grab/grabbed/grabbed person,group vehicle,tool,food
    write/wrote/written|compose person,group text
    open|unlock person,group building,tool,text
    love|adore person,animal person,animal,food,place,idea
    like|enjoy person,animal food,drink,place,text,music,idea
    need|require person,group,animal tool,drink,food,person,idea
    wear/wore/worn person clothing
    carry|bear/bore/borne person,animal tool,food,furniture
    play person music
    touch|feel/felt/felt person,animal tool,body,furniture,animal
    drive/drove/driven|steer person vehicle
    lead/led/led|guide person group,person,animal
    spend/spent/spent|pass person time
    cross|traverse person,animal,vehicle place
    hear/heard/heard person,animal music,animal,person
    understand/understood/understood|grasp person text,idea,person
    sell/sold/sold|trade person,group tool,food,drink,vehicle,building,furniture
    lose/lost/lost|mislay/mislaid/mislaid person,group tool,clothing,text,idea
    help|assist person,group person,animal
    close|shut/shut/shut person,group building,tool,text
    visit person,group place,building,person
    build/built/built|construct person,group building,vehicle,furniture
    meet/met/met|encounter person,group person,group
    follow|pursue person,animal person,animal,vehicle,group
    kill|slay/slew/slain person,animal animal,person
    paint|colour person building,furniture,person,tool
    break/broke/broken|smash person,animal tool,furniture,music
    clean person building,clothing,tool,furniture
    wash|rinse person,animal clothing,body,vehicle
    cook|prepare person food
    heal|cure person person,animal
    plant person plant
    cut/cut/cut person food,plant,body
    watch|observe person,animal animal,person,place
    hate|detest person,animal person,food,idea,place
    change|alter person,group idea,text
    forget/forgot/forgotten person,group person,text,idea
    remember|recall person,group person,text,idea,place
    accept person,group idea,text
    refuse|reject person,group idea,text,food
    choose/chose/chosen|select person,group clothing,text,tool,person
    save|rescue person,group person,animal
    hide/hid/hidden|conceal person,animal tool,text,food,animal
    push person tool,vehicle,furniture,person
    pull|drag/dragged/dragged person,animal tool,vehicle,furniture
    catch/caught/caught person,animal animal,person
    throw/threw/thrown|toss person tool,food
    repair|mend person vehicle,tool,building,clothing,furniture
    burn person,group text,building,plant
    steal/stole/stolen person,animal tool,vehicle,food,clothing
    attack|assault person,animal,group person,animal,group,place
    protect|defend person,animal,group person,animal,place,plant
    describe|depict person,text place,person,idea
    print|publish group,person text
    solve|resolve person,group idea
    admire person,group person,building,text,plant
    feed/fed/fed person animal,person
    ride/rode/ridden person animal
    sign person,group text
    translate person text
    win/won/won person,group idea
    borrow person tool,text,vehicle
    destroy|ruin person,group,animal building,place,vehicle,plant
    arrest|detain group,person person
    invite person,group person,group
    bury|inter/interred/interred person,animal person,tool
    warn|alert person,group person,group
    support|back group,person idea,group,person
    fear|dread animal,person animal,idea,person
    smell|sniff animal,person food,plant,clothing
    bite/bit/bitten animal person,animal,body
    chase animal,person animal,person
    measure|gauge person building,furniture,place
    weigh person food,tool
    decorate|adorn person building,clothing,furniture
    explore person,group place,building
    insult|offend person person,group
    imitate|mimic/mimicked/mimicked person person,animal
    interrupt person person,idea
    organize|arrange group,person idea
    rent|lease person,group building,vehicle
    polish person tool,clothing,furniture
    slice person food
    knit/knitted/knitted person clothing
    sew/sewed/sewn person clothing
    tame person animal
    harvest|reap person plant,food
"""
"""Transitive verbs: forms, kinds of subject, kinds of object."""

PHRASAL = """
    turn_on|switch_on person tool
    put/put/put_on person clothing
    throw/threw/thrown_away|discard person tool,food,clothing,text
    pick_up|collect person tool,person,text
    take/took/taken_off|remove person clothing
    give/gave/given_up|abandon person,group idea
    turn_off|switch_off person tool
    bring/brought/brought_back|return person tool,text,clothing,animal
    write/wrote/written_down person text,idea
    cut/cut/cut_down|fell person plant
    look_up|search person text
    call_off|cancel/cancelled/cancelled group,person idea
    carry_out|perform person,group idea
    let/let/let_in|admit/admitted/admitted person person,animal
    fill_in|complete person text
    tear/tore/torn_down|demolish person,group building
    bring/brought/brought_up|raise person person,animal
    set/set/set_up|establish person,group group,idea
"""
"""English verbs with a particle that may stand before or after the object."""

PARTICLE_STEMS = {
    "put on": ("carry", 0), "throw away": ("pull", 1), "pick up": ("take", 2),
    "take off": ("take", 1), "turn on": ("open", 2), "turn off": ("close", 0),
    "bring back": ("carry", 3), "give up": ("close", 1), "write down": ("write", 0),
    "cut down": ("cut", 0), "look up": ("find", 2), "call off": ("cut", 1),
    "carry out": ("lead", 1), "let in": ("take", 3), "fill in": ("write", 3),
    "tear down": ("pull", 0), "bring up": ("feed", 2), "set up": ("build", 2),
}  # fmt: skip
"""The verb whose stem a phrasal verb shares in the source, and which of four particles it takes."""

PREPOSITIONAL = """
    look@at person,animal person,animal,place,building,text
    listen@to person music,person,text
    wait@for person,animal person,vehicle,group
    talk|speak/spoke/spoken@about person,group idea,person,text,place
    think/thought/thought@about person idea,person,place
    depend|rely@on person,group person,idea,group
    laugh@at person person,idea,clothing
    search|look@for person,animal,group tool,person,animal,clothing
    pay/paid/paid@for person food,drink,tool,building
    belong@to tool,vehicle,building person,group
    dream@of person place,idea,person
    fight/fought/fought@against person,group group,person,idea
    believe@in person,group idea,person
    suffer@from person,group idea
"""
"""Verbs whose English object needs a preposition; the sources have a plain object."""

INTRANSITIVE = """
    live|dwell/dwelt/dwelt person,animal,group
    work|labour person,group
    come/came/come|show_up person,animal,vehicle,group
    go/went/gone|leave/left/left person,animal,vehicle,group
    sleep/slept/slept|doze person,animal
    arrive|turn_up person,animal,vehicle,group,text
    stay|remain person,animal
    stand/stood/stood person,animal,building
    sit/sat/sat person,animal
    run/ran/run|rush person,animal
    return|come/came/come_back person,group,vehicle
    die|perish person,animal,plant
    wait person,group,vehicle
    sing/sang/sung person,animal
    walk|stroll person,animal
    fall/fell/fallen|tumble person,plant,tool
    stop/stopped/stopped|halt vehicle,person
    swim/swam/swum animal,person
    cry|weep/wept/wept person
    laugh person
    dance person
    fly/flew/flown animal,vehicle
    disappear|vanish person,animal,tool,text
    travel/travelled/travelled person,group
    grow/grew/grown plant,animal,group
    shout|yell person
    burn building,plant,vehicle
    wake/woke/woken person,animal
    rest person,animal
    escape|flee/fled/fled person,animal
    smile|grin/grinned/grinned person
    pray person
    hide/hid/hidden animal,person
    complain person,group
    jump|leap animal,person
    shine/shone/shone|gleam tool,clothing
    bloom|flower plant
    bark animal
    lie/lay/lain animal,person,tool,text
    sink/sank/sunk vehicle
    argue|quarrel/quarrelled/quarrelled person,group
    snore person
    melt food
    tremble|shiver person,animal
    hesitate person,group
"""

GIVING = """
    give/gave/given@to tool,food,drink,text,clothing,animal,plant
    show|present@to text,place,tool,building
    send/sent/sent@to text,tool,food
    sell/sold/sold@to vehicle,tool,animal,building
    bring/brought/brought@to food,drink,tool,plant
    buy/bought/bought@for clothing,plant,tool,music
    lend/lent/lent@to tool,vehicle,text
    teach/taught/taught@to idea,music
    offer@to drink,food,idea
    promise@to idea,tool,clothing
    sing/sang/sung@to text
"""

SAYING = """
    say/said/said|state think/thought/thought|believe know/knew/known hope believe
    see/saw/seen|notice
    hear/heard/heard forget/forgot/forgotten write/wrote/written
    understand/understood/understood|realize
    fear|worry dream claim|assert admit/admitted/admitted|confess swear/swore/sworn suspect
    deny doubt discover|learn
"""

WISHING = """
    want|wish try|attempt begin/began/begun|start hope decide learn plan/planned/planned|intend
    forget/forgot/forgotten
    refuse promise prefer/preferred/preferred need agree hesitate
"""
"""Verbs that take another verb in the infinitive."""

IDIOMS = """
    cut rope run/ran/run_away|escape
    open umbrella get/got/got_married|marry
    eat frog apologize|say/said/said_sorry
    sell candle tell/told/told_lies|lie
    wash stove lose/lost/lost_patience
    find wheel get/got/got_lucky
    carry roof work_too_hard|overwork
    close eye pretend_not_to_see|look_away
    pull tooth earn_a_living
    throw shoe change_sides
    break bottle celebrate
    burn ladder take/took/taken_a_risk|gamble
    drink sea talk_nonsense
    catch fox fall/fell/fallen_ill|get/got/got_sick
    paint goat waste_time
    hide hammer keep/kept/kept_quiet|say/said/said_nothing
    hear owl go/went/gone_to_bed
    weigh egg hesitate_for_a_long_time
    push tower try_the_impossible
    plant bean make/made/made_a_fortune
"""
"""Verb and object of the sources, and what they mean together."""
