"""Games that between them catch every rule of the console that a game depends on."""

TELLING_GAMES = (
    "adventure",
    "air_raid",
    "backgammon",
    "darkchambers",
    "elevator_action",
    "galaxian",
    "hero",
    "human_cannonball",
    "journey_escape",
    "pitfall2",
    "solaris",
    "space_war",
    "tic_tac_toe_3d",
    "turmoil",
    "up_n_down",
)
