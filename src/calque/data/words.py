"""The English nouns, adjectives and adverbs of the generated corpus, most frequent first.

One entry is a word, its irregular forms after slashes, its synonyms after bars (the first is what
most translators would write), `_` for a space and a final `~` for what cannot be counted. The
order is the frequency: within a table the word of rank r is drawn in proportion to 1 / (r + 2).
"""

from __future__ import annotations

NOUNS: dict[str, str] = {
    "person": """
        man/men|guy woman/women|lady child/children|kid friend|companion teacher|instructor
        mother|mom father|dad doctor|physician
        boy|lad girl|lass student|pupil brother sister neighbour worker|labourer farmer king queen
        soldier
        writer|author lawyer judge driver nurse baker guest|visitor customer|client manager|boss
        painter singer actor player owner thief/thieves hunter sailor guide engineer priest uncle
        aunt cousin son daughter husband wife/wives witness tailor butcher gardener prisoner poet
        tourist|traveller enemy|foe stranger leader|chief servant colleague|co-worker champion
        dancer fisherman/fishermen grandmother|granny grandfather|grandpa widow orphan shepherd
        miner pilot clerk tenant beggar twin midwife/midwives apprentice|trainee blacksmith
        mayor carpenter waiter captain police_officer fire_fighter secretary barber""",
    "animal": """
        dog|hound horse|steed cat bird cow sheep/sheep fish/fish wolf/wolves pig lion bear
        mouse/mice
        goat duck hen fox rabbit|hare snake bee spider eagle donkey|mule frog owl deer/deer tiger
        whale monkey|ape turtle|tortoise crow goose/geese ant butterfly squirrel hedgehog lizard""",
    "food": """
        bread~ meat~|flesh~ apple cake rice~ soup cheese~ egg salad|side_dish fruit~ potato/potatoes
        tomato/tomatoes onion butter~ sugar~ salt~ sausage pear cherry grape nut bean carrot honey~
        pie|tart sandwich pepper~ garlic~ mushroom lemon plum chocolate~ noodle dumpling pancake
        biscuit|cookie jam~ ice_cream~ cabbage pumpkin sweet_potato/sweet_potatoes""",
    "drink": """
        water~ coffee~ wine~ tea~ milk~ beer~|ale~ juice~ lemonade~ cider~ brandy~""",
    "tool": """
        key knife/knives|blade bag|sack box|case lamp|light ball phone|telephone clock|timepiece
        cup|mug bottle glass
        computer|laptop mirror|looking_glass rope|cord hammer camera bell coin basket candle pen
        brush picture|image
        machine|device window door ladder bucket|pail umbrella needle spoon fork plate|dish
        knob battery/batteries|cell screen pillow blanket razor shovel|spade wheel toy
        saw broom kettle|pot net axe lock screwdriver tent torch|flashlight nail
        sewing_machine washing_machine traffic_light""",
    "clothing": """
        shirt|blouse coat|jacket hat|bonnet shoe dress|gown ring glove waistcoat
        scarf/scarves boot sock skirt
        belt tie sweater|pullover cap apron necklace mask crown vest slipper""",
    "vehicle": """
        car|automobile train bus ship|vessel boat plane|aircraft/aircraft bicycle|bike truck|lorry
        taxi|cab tram wagon|cart ferry tractor motorcycle|motorbike sledge fire_engine submarine""",
    "building": """
        house|home school church|chapel hospital shop|store office hotel|inn factory|plant library
        restaurant station prison|jail castle tower museum theatre bank kitchen bridge
        temple barn mill palace cottage|cabin garage bakery hut warehouse lighthouse/lighthouses
        cathedral pharmacy|drugstore stable
        post_office railway_station|train_station town_hall power_station""",
    "place": """
        city|town village street|road country|land river|stream mountain|peak garden|yard sea|ocean
        forest|wood park market|marketplace island field|meadow beach|shore lake
        square|plaza valley
        hill desert harbour|port farm coast cave corner border|frontier path|trail swamp|marsh
        playground cemetery|graveyard airport canal cliff waterfall vineyard""",
    "text": """
        book|volume letter newspaper|paper story|tale page message|note song poem report|account map
        contract|agreement ticket|pass law list|catalogue novel prayer diary|journal postcard
        recipe invoice|bill dictionary/dictionaries speech essay manuscript headline""",
    "idea": """
        question|query answer|reply problem|issue plan|scheme idea|thought truth~ work~|job~ secret
        game|match war life~ love~ fear~|dread~ price|cost mistake|error reason|cause dream|vision
        hope
        decision|choice success|triumph promise change|shift weather~ danger|peril chance fight
        habit|custom lie rule|regulation power~|might~ silence~ voice colour noise|sound debt
        journey|trip education~ peace~ freedom~|liberty~ victory|win crime|offence discovery
        religion advice~ loss tradition duty|obligation experiment rumour|gossip~ wish""",
    "time": """
        day year week month minute night|evening morning winter summer afternoon season
        weekend century spring autumn|fall decade""",
    "group": """
        company|firm government|administration family|household team|squad army club
        party jury
        council|board crowd|mob court committee class choir|chorus crew|staff parliament|assembly
        tribe""",
    "music": """guitar piano|pianoforte violin|fiddle drum flute trumpet|horn harp organ cello
        accordion""",
    "plant": """tree flower|blossom grass~ rose leaf/leaves seed bush|shrub oak vine root
    branch|bough
        tulip wheat~ moss~ cactus fern""",
    "body": """hand head eye face arm leg|limb hair~ heart foot/feet finger nose mouth tooth/teeth
        shoulder ear knee""",
    "furniture": """table chair|seat bed bench desk wall|partition floor shelf/shelves roof
        sofa|couch stove|oven cupboard|closet carpet|rug armchair stool crib""",
    "weekday": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
}

FEMALE = "woman girl mother sister queen aunt daughter wife grandmother widow nurse midwife"
MALE = "man boy father brother king uncle son husband grandfather priest fisherman lion"

ADJECTIVES = """
    big|large:* new|brand-new:*
    old:tool,clothing,vehicle,building,place,text,idea,plant,furniture,group
    good|fine|nice:* small|little:* young|youthful:person,animal bad|poor:*
    white:animal,tool,clothing,vehicle,building,drink
    long|lengthy:text,clothing,time,idea,place,body black:animal,tool,clothing,vehicle,drink
    beautiful|lovely:*
    strong|powerful:person,animal,idea,drink red:tool,clothing,vehicle,plant,food
    elderly|aged:person
    important|major:person,text,idea,group,place famous|well-known:person,text,place,building,group
    hard|solid:tool,food,furniture strict|severe:person,group,idea happy|glad:person
    expensive|costly:tool,clothing,food,vehicle
    dear|beloved:person tall|lanky:person,plant high:building,place,furniture
    clear|plain:text,idea,drink
    bright|brilliant:tool,plant,time cold|chilly:drink,food,time,place,body
    warm:drink,food,time,clothing,place
    rich|wealthy:person,group,place poor|needy:person,group dark|gloomy:place,building,time,clothing
    clever|smart:person,animal strange|odd:* quiet|calm:person,place,animal,time
    heavy:tool,furniture,vehicle
    green:plant,tool,clothing,place,vehicle blue:tool,clothing,vehicle,body,plant
    tired|weary:person,animal
    fresh:food,drink,plant sad|unhappy:person,text,time empty:tool,building,place,vehicle
    cheap|inexpensive:tool,clothing,food,drink dangerous|risky:animal,place,idea,tool,vehicle
    sweet:food,drink
    clean:clothing,tool,building,place,body dirty|filthy:clothing,tool,place,animal,body
    brave|bold:person,animal
    foreign:person,group,place,text broken:tool,furniture,vehicle,music soft:clothing,food,furniture
    secret:text,idea,place difficult|tough:text,idea,time easy|simple:text,idea
    angry|furious:person,animal,group
    sick|ill:person,animal lazy|idle:person,animal hungry:person,animal wild:animal,plant,place
    wooden:tool,furniture,building,music golden:tool,clothing,music ancient:text,building,place,idea
    modern:building,text,vehicle,idea narrow:place,building wide|broad:place
    fast|quick:vehicle,animal
    slow:vehicle,animal,person noble:person,idea loyal|faithful:person,animal
    lonely|solitary:person,place
    yellow:plant,clothing,tool,vehicle grey:animal,clothing,building round:tool,furniture sharp:tool
    thick:text,clothing,plant thin|slim:person,animal,text proud:person,group wise:person
    funny|amusing:text,person loud:music,vehicle local:person,group,food,text national:group,text
    bitter:food,drink,idea ripe:food salty:food spicy:food strong-willed:person terrible|awful:*
    wonderful|marvellous:* ordinary|common:* rare|uncommon:animal,plant,text,idea,tool
    royal:person,building,group rusty:tool,vehicle gentle|mild:person,animal,time
    stubborn|obstinate:person,animal
    curious:person,animal nervous|anxious:person generous:person,group,idea cruel:person,idea,time
    shy|timid:person,animal polite|courteous:person cautious|careful:person,animal
    enormous|huge|gigantic:* tiny|minute:* leather:clothing,furniture silver:tool,clothing,music
    abandoned|deserted:building,place,vehicle,animal crowded|packed:building,place,vehicle
    fertile:place foggy:place,time weekly:text,idea muddy:place,clothing,vehicle
    delicious|tasty:food,drink
    frozen:food,place electric|electrical:vehicle,tool,music fragile:tool,person,plant
    magic:tool,text,place
    mysterious|enigmatic:person,text,place,idea orange:clothing,plant,tool
    purple|violet:clothing,plant
    thirsty:person,animal silent:person,time,place blind:person,animal deaf:person barefoot:person
"""
"""Adjectives and the kinds of noun that they go with; `*` is every kind."""

BEFORE_NOUN = "big new good small bad old elderly young beautiful important"
"""Adjectives that the Romance-like language keeps before the noun."""

ADVERBS = """
    quickly|fast slowly well carefully|cautiously alone together quietly|silently loudly
    happily|cheerfully badly|poorly easily secretly patiently angrily|furiously gladly|willingly
    suddenly|all_of_a_sudden politely proudly bravely|courageously nervously hard
    accidentally|by_chance
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
    "lighthouse": ("tower", "lamp"), "airport": ("harbour", "bird"),
    "headline": ("head", "newspaper"),
    "dictionary": ("book", "voice"), "submarine": ("ship", "fish"),
    "cemetery": ("garden", "silence"),
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
