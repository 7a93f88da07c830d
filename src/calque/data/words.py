"""The English words of the generated corpus, by kind of thing and most frequent first.

One entry is a word, its irregular forms after slashes, its synonyms after bars (the first is what
most translators would write), `_` for a space and a final `~` for what cannot be counted. The
order is the frequency: within a table the word of rank r is drawn in proportion to 1 / (r + 2).
"""

from __future__ import annotations

NOUNS: dict[str, str] = {
    "person": """
        man/men woman/women child/children|kid friend teacher mother|mom father|dad doctor|physician
        boy girl student|pupil brother sister neighbour worker|labourer farmer king queen soldier
        writer|author lawyer judge driver nurse baker guest|visitor customer|client manager|boss
        painter singer actor player owner thief/thieves hunter sailor guide engineer priest uncle
        aunt cousin son daughter husband wife/wives witness tailor butcher gardener prisoner poet
        tourist|traveller enemy|foe stranger leader|chief servant colleague|co-worker champion
        dancer fisherman/fishermen grandmother|granny grandfather|grandpa widow orphan shepherd
        miner pilot clerk tenant beggar twin midwife/midwives apprentice|trainee blacksmith
        mayor carpenter waiter captain police_officer fire_fighter secretary barber""",
    "animal": """
        dog|hound horse cat bird cow sheep/sheep fish/fish wolf/wolves pig lion bear mouse/mice
        goat duck hen fox rabbit|hare snake bee spider eagle donkey|mule frog owl deer/deer tiger
        whale monkey|ape turtle|tortoise crow goose/geese ant butterfly squirrel hedgehog lizard""",
    "food": """
        bread~ meat~ apple cake rice~ soup cheese~ egg salad|greens~ fruit~ potato/potatoes
        tomato/tomatoes onion butter~ sugar~ salt~ sausage pear cherry grape nut bean carrot honey~
        pie|tart sandwich pepper~ garlic~ mushroom lemon plum chocolate~ noodle dumpling pancake
        biscuit|cookie jam~ ice_cream~ cabbage pumpkin sweet_potato/sweet_potatoes""",
    "drink": """
        water~ coffee~ wine~ tea~ milk~ beer~|ale~ juice~ lemonade~ cider~ brandy~""",
    "tool": """
        key knife/knives bag|sack box lamp|light ball phone|telephone clock cup|mug bottle glass
        computer mirror rope|cord hammer camera bell coin basket candle pen brush picture|image
        machine|device window door ladder bucket|pail umbrella needle spoon fork plate|dish
        knob battery/batteries|cell screen pillow blanket razor shovel|spade wheel toy
        saw broom kettle|pot net axe lock scissors/scissors tent torch|flashlight nail
        sewing_machine washing_machine traffic_light""",
    "clothing": """
        shirt coat|jacket hat shoe dress ring glove trousers/trousers scarf/scarves boot sock skirt
        belt tie sweater|pullover cap apron necklace mask crown vest slipper""",
    "vehicle": """
        car|automobile train bus ship|vessel boat plane|aircraft/aircraft bicycle|bike truck|lorry
        taxi|cab tram wagon|cart ferry tractor motorcycle|motorbike sledge fire_engine submarine""",
    "building": """
        house|home school church hospital shop|store office hotel|inn factory|plant library
        restaurant station prison|jail castle tower museum theatre bank kitchen bridge
        temple barn mill palace cottage|cabin garage bakery hut warehouse lighthouse/lighthouses
        cathedral pharmacy|drugstore stable
        post_office railway_station|train_station town_hall power_station""",
    "place": """
        city|town village street|road country|land river|stream mountain garden|yard sea|ocean
        forest|woods/woods park market island field|meadow beach|shore lake square|plaza valley
        hill desert harbour|port farm coast cave corner border|frontier path|trail swamp|marsh
        playground cemetery|graveyard airport canal cliff waterfall vineyard""",
    "text": """
        book letter newspaper|paper story|tale page message|note song poem report|account map
        contract|agreement ticket|pass law list|catalogue novel prayer diary|journal postcard
        recipe invoice|bill dictionary/dictionaries speech essay manuscript headline""",
    "idea": """
        question answer|reply problem|issue plan|scheme idea|thought truth~ work~|job~ secret
        game|match war life~ love~ fear~|dread~ price|cost mistake|error reason|cause dream hope
        decision|choice success|triumph promise change|shift weather~ danger|peril chance fight
        habit|custom lie rule|regulation power~|might~ silence~ voice colour noise|sound debt
        journey|trip education~ peace~ freedom~|liberty~ victory|win crime|offence discovery
        religion advice~ loss tradition duty|obligation experiment rumour|gossip~ wish""",
    "time": """
        day year week month minute night|evening morning winter summer afternoon season
        weekend century spring autumn|fall decade""",
    "group": """
        company|firm government|administration family team|squad army club party police/police
        council|board crowd|mob court committee class choir|chorus crew|staff parliament|assembly
        tribe""",
    "music": """guitar piano|pianoforte violin|fiddle drum flute trumpet|horn harp organ cello
        accordion""",
    "plant": """tree flower|blossom grass~ rose leaf/leaves seed bush|shrub oak vine root branch|bough
        tulip wheat~ moss~ cactus fern""",
    "body": """hand head eye face arm leg|limb hair~ heart foot/feet finger nose mouth tooth/teeth
        shoulder ear knee""",
    "furniture": """table chair|seat bed bench desk wall|partition floor shelf/shelves roof sofa|couch
        stove|oven cupboard|closet carpet|rug armchair stool crib""",
    "weekday": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
}

FEMALE = frozenset(
    "woman girl mother sister queen aunt daughter wife grandmother widow nurse midwife hen cow".split()
)
MALE = frozenset(
    "man boy father brother king uncle son husband grandfather priest fisherman lion".split()
)

ADJECTIVES = """
    big|large:* new:* old:tool,clothing,vehicle,building,place,text,idea,plant,furniture,group
    good:* small|little:* young:person,animal bad|poor:* white:animal,tool,clothing,vehicle,building,drink
    long:text,clothing,time,idea,place,body black:animal,tool,clothing,vehicle,drink beautiful|lovely:*
    strong:person,animal,idea,drink red:tool,clothing,vehicle,plant,food elderly|aged:person
    important|major:person,text,idea,group,place famous|well-known:person,text,place,building,group
    hard:tool,food,furniture strict|severe:person,group,idea happy|glad:person expensive|costly:tool,clothing,food,vehicle
    dear|beloved:person tall:person,plant high:building,place,furniture clear:text,idea,drink
    bright:tool,plant,time cold:drink,food,time,place,body warm:drink,food,time,clothing,place
    rich|wealthy:person,group,place poor|needy:person,group dark:place,building,time,clothing
    clever|smart:person,animal strange|odd:* quiet|calm:person,place,animal,time heavy:tool,furniture,vehicle
    green:plant,tool,clothing,place,vehicle blue:tool,clothing,vehicle,body,plant tired|weary:person,animal
    fresh:food,drink,plant sad|unhappy:person,text,time empty:tool,building,place,vehicle
    cheap|inexpensive:tool,clothing,food,drink dangerous|risky:animal,place,idea,tool,vehicle sweet:food,drink
    clean:clothing,tool,building,place,body dirty|filthy:clothing,tool,place,animal,body brave|bold:person,animal
    foreign:person,group,place,text broken:tool,furniture,vehicle,music soft:clothing,food,furniture
    secret:text,idea,place difficult|tough:text,idea,time easy|simple:text,idea angry|furious:person,animal,group
    sick|ill:person,animal lazy|idle:person,animal hungry:person,animal wild:animal,plant,place
    wooden:tool,furniture,building,music golden:tool,clothing,music ancient:text,building,place,idea
    modern:building,text,vehicle,idea narrow:place,building wide|broad:place fast|quick:vehicle,animal
    slow:vehicle,animal,person honourable:person,idea loyal|faithful:person,animal lonely|solitary:person,place
    yellow:plant,clothing,tool,vehicle grey:animal,clothing,building round:tool,furniture sharp:tool
    thick:text,clothing,plant thin|slim:person,animal,text proud:person,group wise:person
    funny|amusing:text,person loud:music,vehicle local:person,group,food,text national:group,text
    bitter:food,drink,idea ripe:food salty:food spicy:food strong-willed:person terrible|awful:*
    wonderful|marvellous:* ordinary|common:* rare|uncommon:animal,plant,text,idea,tool
    royal:person,building,group rusty:tool,vehicle gentle|mild:person,animal,time stubborn|obstinate:person,animal
    curious:person,animal nervous|anxious:person generous:person,group,idea cruel:person,idea,time
    shy|timid:person,animal polite|courteous:person cautious|careful:person,animal
    enormous|huge|gigantic:* tiny|minute:* leather:clothing,furniture silver:tool,clothing,music
    abandoned|deserted:building,place,vehicle,animal crowded|packed:building,place,vehicle
    fertile:place foggy:place,time weekly:text,idea muddy:place,clothing,vehicle delicious|tasty:food,drink
    frozen:food,place electric|electrical:vehicle,tool,music fragile:tool,person,plant magic:tool,text,place
    mysterious|enigmatic:person,text,place,idea orange:clothing,plant,tool purple|violet:clothing,plant
    thirsty:person,animal silent:person,time,place blind:person,animal deaf:person barefoot:person
"""
"""Adjectives and the kinds of noun that they go with; `*` is every kind."""

BEFORE_NOUN = frozenset("big new good small bad old elderly young beautiful important".split())
"""Adjectives that the Romance-like language keeps before the noun."""

VERBS = """
    see/saw/seen|notice person,animal,group person,animal,vehicle,building,place,tool
    have/had/had|own person,group tool,vehicle,clothing,animal,idea,text,building
    find/found/found|discover person,animal,group tool,person,animal,food,text,clothing
    want/want|desire person,group tool,food,drink,vehicle,idea,clothing
    know/knew/known person,group person,place,text,idea
    buy/bought/bought|purchase person,group tool,food,drink,vehicle,clothing,building,text,music,furniture
    read/read/read person,group text
    eat/ate/eaten|consume person,animal food,food,plant
    drink/drank/drunk person,animal drink
    take/took/taken person,group vehicle,tool,food
    write/wrote/written person,group text
    open person,group building,tool,text
    love|adore person,animal person,animal,food,place,idea
    like|enjoy person,animal food,drink,place,text,music,idea
    need|require person,group,animal tool,drink,food,person,idea
    wear/wore/worn person clothing
    carry|bear/bore/borne person,animal tool,food,furniture
    play person music
    touch person,animal tool,body,furniture,animal
    drive/drove/driven|steer person vehicle
    lead/led/led|guide person group,person,animal
    spend/spent/spent person time
    cross|traverse person,animal,vehicle place
    hear/heard/heard person,animal music,animal,person
    understand/understood/understood|grasp person text,idea,person
    sell/sold/sold person,group tool,food,drink,vehicle,building,furniture
    lose/lost/lost person,group tool,clothing,text,idea
    help|assist person,group person,animal
    close|shut/shut/shut person,group building,tool,text
    visit person,group place,building,person
    build/built/built|construct person,group building,vehicle,furniture
    meet/met/met|encounter person,group person,group
    follow|pursue person,animal person,animal,vehicle,group
    kill|slay/slew/slain person,animal animal,person
    paint person building,furniture,person,tool
    break/broke/broken|smash person,animal tool,furniture,music
    clean person building,clothing,tool,furniture
    wash person,animal clothing,body,vehicle
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
    come/came/come person,animal,vehicle,group
    go/went/gone person,animal,vehicle,group
    sleep/slept/slept person,animal
    arrive person,animal,vehicle,group,text
    stay|remain person,animal
    stand/stood/stood person,animal,building
    sit/sat/sat person,animal
    run/ran/run person,animal
    return person,group,vehicle
    die|perish person,animal,plant
    wait person,group,vehicle
    sing/sang/sung person,animal
    walk|stroll person,animal
    fall/fell/fallen person,plant,tool
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
    say/said/said think/thought/thought|believe know/knew/known hope believe see/saw/seen|notice
    hear/heard/heard forget/forgot/forgotten write/wrote/written understand/understood/understood|realize
    fear|worry dream claim|assert admit/admitted/admitted|confess swear/swore/sworn suspect
    deny doubt discover|learn
"""

WISHING = """
    want|wish try|attempt begin/began/begun|start hope decide learn plan|intend forget/forgot/forgotten
    refuse promise prefer/preferred/preferred need agree hesitate
"""
"""Verbs that take another verb in the infinitive."""

ADVERBS = """
    quickly|fast slowly well carefully|cautiously alone together quietly|silently loudly
    happily|cheerfully badly|poorly easily secretly patiently angrily|furiously gladly|willingly
    suddenly|all_of_a_sudden politely proudly bravely|courageously nervously hard accidentally|by_chance
    beautifully on_foot seriously|in_earnest by_heart in_vain|without_success barefoot gently
    reluctantly|unwillingly clumsily in_a_hurry|hastily side_by_side
"""

OFTEN = """
    also|as_well always often|frequently never still sometimes|now_and_then already usually|normally
    really|truly almost|nearly rarely|seldom certainly|surely perhaps|maybe probably|likely only
    finally|at_last of_course|naturally immediately|at_once
"""

COMPOSED = {
    "potato": ("apple", "country"), "library": ("house", "book"), "hospital": ("house", "fear"),
    "lighthouse": ("tower", "lamp"), "airport": ("harbour", "bird"), "headline": ("head", "newspaper"),
    "dictionary": ("book", "voice"), "submarine": ("ship", "fish"), "cemetery": ("garden", "silence"),
    "bakery": ("house", "bread"), "waterfall": ("wall", "water"), "vineyard": ("garden", "wine"),
    "necklace": ("ring", "head"), "squirrel": ("mouse", "tree"), "umbrella": ("roof", "hand"),
}  # fmt: skip
"""Nouns that the sources write as several words: a potato is an apple of the country."""

SHARED = {
    "vel": {
        "bench": "bank", "leaf": "page", "season": "railway station", "weather": "minute",
        "voice": "newspaper", "work": "factory", "tie": "rope", "ring": "wheel", "letter": "class",
        "strict": "hard", "dear": "expensive", "elderly": "old", "high": "tall",
        "bright": "clear", "poor": "bad", "silent": "soft", "touch": "play",
        "wear": "carry", "lead": "drive", "cross": "spend", "heal": "cook", "win": "catch",
        "visit": "find", "solve": "cut", "steal": "rent", "sign": "close", "accept": "take",
    },
    "oru": {
        "bridge": "nose", "flower": "fish", "map": "hair", "page": "bird", "shelf": "horse",
        "work": "hand", "seed": "idea", "bell": "promise", "tall": "high", "dear": "expensive",
        "young": "fresh", "wise": "bright", "sick": "bad", "shy": "soft", "strict": "hard",
        "wear": "write", "play": "pull", "drink": "take", "ride": "take", "visit": "like",
        "open": "clean", "win": "take", "hear": "follow", "sign": "push", "cook": "burn",
        "catch": "understand", "remember": "meet", "build": "cross",
    },
}  # fmt: skip
"""Words that share the stem of another; what stands around them says which is meant."""

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
