/* Scripted players of our own games (roms/): each looks at the console's memory, as mapped in docs/games/, and chooses
 * an action. They play well enough to score and to detect a broken game. They learn nothing: they know the rules and
 * read memory that a player cannot see. The agent `scripted` and the tests of the games use them. Addresses are written
 * as in the sources, 0x80..0xFF. */
#ifndef SIXER_AGENTS_SCRIPTED_PLAYERS_H
#define SIXER_AGENTS_SCRIPTED_PLAYERS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sixer/sixer.h"

enum { STATE = 0x80, LEVEL = 0x81, MODE = 0x82, LIVES = 0x86, FRAME = 0x89 };

typedef struct player {
  const uint8_t *memory; /* of the console, set before each call */
  bool fire;             /* the button was pressed in the last step */
  int wriggle;           /* steps without a plan */
  int seat;              /* in games for several players: which of them this is, from 0 */
} player;

static inline int at(const player *p, int address) { return p->memory[address & 0x7F]; }

/* The score as all our games keep it. */
static inline int own_score(const uint8_t *memory) {
  int score = 0;
  for (int i = 3; i < 6; i++) score = score * 100 + (memory[i] >> 4) * 10 + (memory[i] & 15);
  return score;
}

/* The action with these directions and button, UP etc. being -1, 0 or 1. */
static inline int stick(int right, int down, bool fire) {
  static const uint8_t actions[3][3] = {{7, 2, 6}, {4, 0, 3}, {9, 5, 8}};
  int action = actions[down + 1][right + 1];
  if (!fire) return action;
  return action == 0 ? 1 : action + 8;
}

/* ---- Duskrain: under the next light, in its color; out of the way of stones ------------------------------------ */

static inline int play_duskrain(player *p) {
  enum { DROPX = 0xA4, DROPK = 0xAD, BOATX = 0xBB, MOON = 0xBC, WIDE = 0xD2, OFF = 0xB6 };
  static const int width[3] = {8, 16, 32};
  int w = width[at(p, WIDE) % 3], middle = at(p, BOATX) + w / 2;
  int want = middle, kind = 0;
  for (int i = 8; i >= 0 && !kind; i--) {
    int k = at(p, DROPK + i);
    if (i == 8 && at(p, OFF) >= 14) continue; /* past the boat */
    if (k == 0) continue;
    if (k == 3) { /* a stone: only matters when it is low */
      int x = at(p, DROPX + i) + 4;
      if (i >= 7 && abs(x - middle) < w / 2 + 8) {
        want = x > 80 ? x - w / 2 - 12 : x + w / 2 + 12;
        break;
      }
      continue;
    }
    want = at(p, DROPX + i) + 4;
    kind = k;
  }
  bool fire = (kind == 1 || kind == 2) && kind - 1 != at(p, MOON) && (at(p, MODE) & 1) && !p->fire;
  int slack = w == 8 ? 3 : 4;
  return stick((want > middle + slack) - (want < middle - slack), 0, fire);
}

/* ---- Sporefall: below the longest stalk, shooting; aside when a spore comes down ------------------------------- */

static inline bool spore_cell(const player *p, int column, int row) {
  static const uint8_t group[4] = {0xA4, 0xB1, 0xBE, 0xCB};
  int bit = column & 7, g = column >> 3;
  if (g == 0 || g == 2) bit = 7 - bit;
  return at(p, group[g] + row) >> bit & 1;
}

static inline int play_sporefall(player *p) {
  enum {
    SHIPX = 0xDE,
    SHIPY = 0xDF,
    SPOREX = 0xE8,
    SPOREY = 0xE9,
    MOTHX = 0xE4,
    MOTHY = 0xE5,
    MOTHT = 0xE7
  };
  int x = at(p, SHIPX), best = -1, best_value = -1000;
  for (int c = 0; c < 32; c++) {
    int length = 0;
    while (length < 13 && spore_cell(p, c, length)) length++;
    if (!length) continue;
    int value = length * 12 - abs(4 * c + 14 - x) / 2 + (length > 9 ? 100 : 0);
    if (value > best_value) best = c, best_value = value;
  }
  int want = best < 0 ? x : 4 * best + 14;
  if (want < 17) want = 17;
  if (want > 136) want = 136;
  int go = (want > x) - (want < x);
  /* a spore that would come down on the ship (SPOREY is 0xFF if there is none) */
  int spore_dx = at(p, SPOREX) - (x + 4);
  if (at(p, SPOREY) < 50 && abs(spore_dx) < 9) {
    go = spore_dx >= 0 ? -1 : 1;
    if (x <= 18) go = 1;
    if (x >= 134) go = -1;
  }
  int down = at(p, SHIPY) > 2 ? 1 : 0;
  return stick(go, down, go == 0);
}

/* ---- Hedgelight: the nearest drop that can be reached before a shade -------------------------------------------- */

static inline bool hedge_open(const player *p, int col, int row, int dir) {
  enum { HROW = 0xA4, VROW = 0xAE };
  static const uint8_t half[11] = {1, 2, 4, 8, 16, 32, 16, 8, 4, 2, 1};
  static const uint8_t wall[10] = {1, 2, 4, 8, 16, 16, 8, 4, 2, 1};
  switch (dir) {
    case 0: return row > 0 && !(at(p, HROW + row) & half[col]);
    case 1: return row < 8 && !(at(p, HROW + row + 1) & half[col]);
    case 2: return col > 0 && !(at(p, VROW + row) & wall[col - 1]);
    default: return col < 10 && !(at(p, VROW + row) & wall[col]);
  }
}

static inline bool hedge_dew(const player *p, int col, int row) {
  static const uint8_t mask[11] = {0x80, 0x10, 0x02, 0x02, 0x10, 0xC0,
                                   0x08, 0x01, 0x01, 0x08, 0x40};
  return at(p, (col < 3 || col > 7 ? 0xB7 : 0xC0) + row) & mask[col];
}

static inline int play_hedgelight(player *p) {
  enum { ACOL = 0xC9, AROW = 0xCD, ADIR = 0xD1, APROG = 0xD5, STUN = 0xEC, FLASHES = 0xEB };
  static const int dx[4] = {0, 0, -1, 1}, dy[4] = {-1, 1, 0, 0};
  int col = at(p, ACOL), row = at(p, AROW);
  if (at(p, APROG)) {
    int dir = at(p, ADIR) & 3;
    col += dx[dir], row += dy[dir];
    if (hedge_dew(p, col, row)) return stick(dx[dir], dy[dir], false);
  }
  bool danger[9][11] = {{false}};
  int nearest = 99;
  for (int s = 1; s < 4; s++) {
    int sc = at(p, ACOL + s), sr = at(p, AROW + s), d = abs(sc - col) + abs(sr - row);
    if (d < nearest) nearest = d;
    if (at(p, STUN) > 30) continue;
    for (int r = (s - 1) * 3; r < s * 3; r++) {
      for (int c = 0; c < 11; c++) danger[r][c] |= abs(sc - c) + abs(sr - r) <= 2;
    }
  }
  /* breadth first, twice: first without going near a shade, then anyhow */
  for (int careful = 1; careful >= 0; careful--) {
    int queue[99], from[99], head = 0, tail = 0;
    memset(from, -1, sizeof from);
    queue[tail++] = row * 11 + col;
    from[row * 11 + col] = 4;
    while (head < tail) {
      int cell = queue[head++], c = cell % 11, r = cell / 11;
      if (hedge_dew(p, c, r) && cell != row * 11 + col) {
        int dir = 4;
        while (cell != row * 11 + col) {
          dir = from[cell];
          cell -= dy[dir] * 11 + dx[dir];
        }
        bool flash = nearest <= 2 && !at(p, STUN) && at(p, FLASHES) && !p->fire;
        return stick(dx[dir], dy[dir], flash);
      }
      for (int d = 0; d < 4; d++) {
        if (!hedge_open(p, c, r, d)) continue;
        int next = cell + dy[d] * 11 + dx[d];
        if (from[next] >= 0 || (careful && danger[next / 11][next % 11])) continue;
        from[next] = d;
        queue[tail++] = next;
      }
    }
  }
  return 0;
}

/* ---- Cragfast: the shortest way up, firm holds first; no move when the wind rises ------------------------------ */

static inline int play_cragfast(player *p) {
  enum {
    ROWB = 0xA4,
    ROWL = 0xB1,
    COL = 0xC2,
    ROW = 0xC3,
    PROG = 0xC6,
    WINDT = 0xCD,
    WINDS = 0xCE,
    STONEX = 0xD0,
    STONEY = 0xD1,
    PITONS = 0xCC,
    PROW = 0xCB,
    CLIMBY = 0xC8,
    CRUMBLE = 0xD6
  };
  int col = at(p, COL), row = at(p, ROW);
  if (at(p, PROG)) return 0;
  bool loose = at(p, ROWL + row) >> (7 - col) & 1;
  /* cost to the upper ledge from every hold, by relaxation */
  int cost[13][8];
  for (int r = 0; r < 13; r++) {
    for (int c = 0; c < 8; c++) cost[r][c] = r == 1 ? 0 : 9999;
  }
  for (int turn = 0; turn < 80; turn++) {
    bool changed = false;
    for (int r = 2; r < 13; r++) {
      for (int c = 0; c < 8; c++) {
        if (!(at(p, ROWB + r) >> (7 - c) & 1)) continue;
        int own = at(p, ROWL + r) >> (7 - c) & 1 ? 4 : 1;
        for (int dr = -1; dr <= 1; dr++) {
          for (int dc = -1; dc <= 1; dc++) {
            int nr = r + dr, nc = c + dc;
            if (nr < 1 || nr > 12 || nc < 0 || nc > 7 || cost[nr][nc] + own >= cost[r][c]) continue;
            cost[r][c] = cost[nr][nc] + own;
            changed = true;
          }
        }
      }
    }
    if (!changed) break;
  }
  int best = 9999, bx = 0, by = 0;
  for (int dr = -1; dr <= 1; dr++) {
    for (int dc = -1; dc <= 1; dc++) {
      int nr = row + dr, nc = col + dc;
      if ((!dr && !dc) || nr < 1 || nr > 12 || nc < 0 || nc > 7) continue;
      if (!(at(p, ROWB + nr) >> (7 - nc) & 1)) continue;
      if (cost[nr][nc] < best) best = cost[nr][nc], bx = dc, by = dr;
    }
  }
  bool calm = at(p, WINDS) == 0 || (at(p, WINDS) == 1 && at(p, WINDT) > 18);
  bool firm_ahead = !(at(p, ROWL + row + by) >> (7 - (col + bx)) & 1);
  if (at(p, WINDS) == 1 && !loose) calm = false;
  if (at(p, WINDS) == 0 && at(p, WINDT) < 4 && !firm_ahead) calm = false;
  if (!calm && row != 12) return 0;
  bool piton = row > 3 && row < 9 && !loose && at(p, PITONS) && at(p, PROW) > row + 2 && !p->fire;
  if (piton) return 1;
  /* a stone above: step aside if there is a hold, else go on */
  int stone_dx = at(p, STONEX) - (20 + 16 * col);
  if (at(p, STONEY) != 0xFF && stone_dx == 0 && bx == 0 && row != 12 &&
      at(p, STONEY) > at(p, CLIMBY) && at(p, STONEY) < at(p, CLIMBY) + 34) {
    for (int side = -1; side <= 1; side += 2) {
      if (col + side >= 0 && col + side < 8 && at(p, ROWB + row) >> (7 - col - side) & 1)
        return stick(side, 0, false);
    }
  }
  return stick(bx, by, false);
}

/* ---- Undervault: the map worked out as the cartridge does it, then from key to key, to the heart and home ------ */

/* `key` holds both of the vault's own numbers. */
static inline int vault_hash(int key, int salt) {
  uint8_t x = (uint8_t)salt, a = (uint8_t)salt, b = (uint8_t)key, c = (uint8_t)(key >> 8);
  for (int i = 0; i < 4; i++) {
    x++;
    a = a ^ c ^ x;
    b = (uint8_t)(b + a);
    c = (uint8_t)(((b >> 1) ^ a) + c);
  }
  return c;
}

/* Links of a chamber: bit 0 to the corridor, bit 1 to the west. */
static inline int vault_links(int key, int room) {
  int h = vault_hash(key, room);
  if ((room & 7) == 0) return 1;
  return (h & 6) == 0 ? 3 : h & 1 ? 1 : 2;
}

/* Exits of a room: 1 north, 2 south, 4 west, 8 east; *lock: the key that its locked door wants, or -1. */
static inline int vault_exits(int key, int room, int *lock) {
  int row = room >> 3, col = room & 7, depth = row >> 1,
      corridor = vault_hash(key, 0xC8 | depth) & 1;
  int chamber = ((depth * 2) | (corridor ^ 1)) * 8 + col, exits = 0;
  *lock = -1;
  if (vault_links(key, chamber) & 1) exits |= row & 1 ? 1 : 2;
  if ((row & 1) == corridor) {
    exits |= 12;
  } else {
    if (vault_links(key, chamber) & 2) exits |= 4;
    if (col < 7 && vault_links(key, chamber + 1) & 2) exits |= 8;
  }
  if (col == 0) exits &= ~4;
  if (col == 7) exits &= ~8;
  int below = row & 1 ? depth : depth - 1;
  if (below >= 0 && below < 3) {
    int door = vault_hash(key, 0xD8 | below) & 7;
    if (col == door || col == ((door + 3) & 7)) {
      exits |= row & 1 ? 2 : 1;
      *lock = below;
    }
  }
  return exits;
}

/* The first step (1 north, 2 south, 4 west, 8 east) of the way from a room to another with some keys; 0 if none. */
static inline int vault_step(int key, int from, int to, int keys) {
  static const int bit[4] = {1, 2, 4, 8}, move[4] = {-8, 8, -1, 1};
  int queue[64], first[64] = {0}, head = 0, tail = 0;
  bool seen[64] = {false};
  queue[tail++] = from;
  seen[from] = true;
  while (head < tail) {
    int room = queue[head++], lock, exits = vault_exits(key, room, &lock);
    if (room == to) return first[room];
    for (int d = 0; d < 4; d++) {
      if (!(exits & bit[d])) continue;
      bool locked = lock >= 0 && bit[d] == (room >> 3 & 1 ? 2 : 1);
      int next = room + move[d];
      if (next < 0 || next > 63 || seen[next] || (locked && lock >= keys)) continue;
      seen[next] = true;
      first[next] = room == from ? bit[d] : first[room];
      queue[tail++] = next;
    }
  }
  return 0;
}

/* Is a wall under the 8 pixels at x or the 6 pairs of lines at height y? */
static inline bool vault_blocked(const player *p, int x, int y) {
  enum {
    RP1 = 0xB0,
    RP2 = 0xB6,
    PF0MID = 0xD7,
    PF2TOP = 0xD8,
    PF2BOT = 0xD9,
    BALLON = 0xE1,
    BALLX = 0xE0
  };
  static const uint8_t fold[13] = {0, 0, 1, 2, 3, 4, 5, 4, 3, 2, 1, 0, 0};
  for (int h = y; h < y + 6; h++) {
    if (h < 0 || h > 77) continue;
    int row = (77 - h) / 6, pf0, pf1, pf2;
    if (row == 0 || row == 12) {
      pf0 = 0xF0, pf1 = 0xFF, pf2 = at(p, row ? PF2BOT : PF2TOP);
    } else {
      pf0 = row >= 5 && row <= 7 ? at(p, PF0MID) : 0x30;
      pf1 = at(p, RP1 + fold[row]), pf2 = at(p, RP2 + fold[row]);
    }
    for (int px = x; px < x + 8; px++) {
      if (px < 0 || px > 159) continue;
      int column = px / 4;
      if (column > 19) column = 39 - column;
      bool lit = column < 4    ? pf0 >> (4 + column) & 1
                 : column < 12 ? pf1 >> (11 - column) & 1
                               : pf2 >> (column - 12) & 1;
      if (lit) return true;
      if (at(p, BALLON) && px >= at(p, BALLX) - 1 && px < at(p, BALLX) + 7) return true;
    }
  }
  return false;
}

static inline int play_undervault(player *p) {
  enum {
    ITEMS = 0xA4,
    ROOM = 0xC0,
    MANX = 0xC4,
    MANY = 0xC5,
    KEYS = 0xCA,
    HEART = 0xCB,
    HOME = 0xCC,
    HERE = 0xCD,
    OBJX = 0xCE,
    OBJY = 0xCF,
    OBJD = 0xD0,
    VKEY = 0xD4,
    GEN = 0xD6,
    SAFE = 0xE2,
    ENTER = 0xE3
  };
  if (at(p, GEN) || at(p, ENTER)) return 0;
  int room = at(p, ROOM) & 63, keys = at(p, KEYS), key = at(p, VKEY) | at(p, VKEY + 1) << 8,
      x = at(p, MANX), y = at(p, MANY);
  /* what next: the heart home, else the next key, else the heart; relics that lie on the way are taken anyhow */
  int target = at(p, HEART) ? at(p, HOME) : keys < 3 ? at(p, ITEMS + keys) : at(p, ITEMS + 3);
  for (int i = 4; i < 12; i++) {
    if (at(p, ITEMS + i) == room) target = room;
  }
  if (target > 63) return 0;
  int way = target == room ? 0 : vault_step(key, room, target, keys);
  int goal_x = 76, goal_y = 13;
  /* keep clear of a sentinel, where it is and where it will be, if there is a way around */
  bool sentinel = at(p, HERE) >= 0x80 && at(p, HERE) != 0xFF && at(p, SAFE) < 8;
  int ox = at(p, OBJX), oy = at(p, OBJY), toward = at(p, OBJD) == 1 ? 1 : -1;
  int sx = (at(p, HERE) & 3) == 0 ? 8 * toward : 0, sy = (at(p, HERE) & 3) == 1 ? 6 * toward : 0;
  /* breadth first over positions: three pixels aside, two pairs of lines up and down, as the man walks */
  enum { W = 54, H = 40 };
  static const int dx[4] = {1, -1, 0, 0}, dy[4] = {0, 0, 1, -1};
  int from[W * H], queue[W * H], here = x / 3 + y / 2 * W, left = x % 3, low = y % 2, found = -1;
  for (int careful = sentinel; careful >= 0 && found < 0; careful--) {
    int head = 0, tail = 0;
    for (int i = 0; i < W * H; i++) from[i] = -1;
    queue[tail++] = here;
    from[here] = here;
    while (head < tail) {
      int cell = queue[head++], cx = cell % W * 3 + left, cy = cell / W * 2 + low;
      bool done = way == 0   ? abs(cx - goal_x) < 6 && abs(cy - goal_y) < 4
                  : way == 1 ? cy >= 70
                  : way == 2 ? cy <= 1
                  : way == 4 ? cx <= 5
                             : cx >= 147;
      if (done) {
        found = cell;
        break;
      }
      for (int d = 0; d < 4; d++) {
        int nx = cx + 3 * dx[d], ny = cy + 2 * dy[d], next = cell + dx[d] + dy[d] * W;
        if (nx < 2 || nx > 151 || ny < 0 || ny > 71 || from[next] >= 0 || vault_blocked(p, nx, ny))
          continue;
        bool near = abs(nx - ox) < 13 && abs(ny - oy) < 10,
             ahead = abs(nx - ox - sx) < 13 && abs(ny - oy - sy) < 10;
        if (careful && (near || ahead) && abs(nx - x) + abs(ny - y) < 60) continue;
        from[next] = cell;
        queue[tail++] = next;
      }
    }
  }
  if (found < 0) { /* wedged in a corner: wriggle */
    p->wriggle++;
    return stick(p->wriggle % 3 - 1, p->wriggle / 7 % 3 - 1, false);
  }
  if (found == here) {
    if (way == 0) return stick((goal_x > x) - (goal_x < x), (goal_y < y) - (goal_y > y), false);
    return stick((way == 8) - (way == 4), (way == 2) - (way == 1), false);
  }
  while (from[found] != here) found = from[found];
  return stick(found % W - here % W, here / W - found / W, false);
}

/* ---- Afterglow: from ember to ember around the trenches ---------------------------------------------------------- */

static inline int play_afterglow(player *p) {
  enum {
    PITS = 0xA4,
    EMBERS = 0xBC,
    TOTAL = 0xC8,
    LEFT = 0xC9,
    TILE = 0xCA,
    PROG = 0xCC,
    SHADE = 0xCF,
    SHDIR = 0xD0,
    SHPROG = 0xD1,
    SHOW = 0xD5,
    GEN = 0xD9
  };
  static const int dx[4] = {0, 0, -1, 1}, dy[4] = {-1, 1, 0, 0};
  if (at(p, PROG) || at(p, GEN) || at(p, SHOW)) return 0;
  int tile = at(p, TILE), total = at(p, TOTAL), left = at(p, LEFT), mode = at(p, MODE);
  bool goal[48] = {false};
  for (int i = 0; i < total && i < 8; i++) {
    int e = at(p, EMBERS + i);
    if (e < 48 && (!(mode & 2) || i == total - left)) goal[e] = true;
  }
  bool danger[48] = {false};
  if (mode & 1) { /* where the shade is and where it may go */
    int s = at(p, SHADE), n = s;
    if (at(p, SHPROG)) n = s + dy[at(p, SHDIR) & 3] * 8 + dx[at(p, SHDIR) & 3];
    for (int t = 0; t < 48; t++) {
      int d1 = abs(t % 8 - s % 8) + abs(t / 8 - s / 8),
          d2 = abs(t % 8 - n % 8) + abs(t / 8 - n / 8);
      danger[t] = d1 <= 1 || d2 <= 1;
    }
  }
  int queue[48], from[48], head = 0, tail = 0;
  memset(from, -1, sizeof from);
  queue[tail++] = tile;
  from[tile] = 4;
  while (head < tail) {
    int t = queue[head++];
    if (goal[t] && t != tile) {
      int dir = 4;
      while (t != tile) {
        dir = from[t];
        t -= dy[dir] * 8 + dx[dir];
      }
      return stick(dx[dir], dy[dir], false);
    }
    for (int d = 0; d < 4; d++) {
      int c = t % 8 + dx[d], r = t / 8 + dy[d];
      if (c < 0 || c > 7 || r < 0 || r > 5) continue;
      int n = r * 8 + c;
      if (from[n] >= 0 || at(p, PITS + r) >> (7 - c) & 1 || danger[n]) continue;
      from[n] = d;
      queue[tail++] = n;
    }
  }
  /* cornered by the shade: away from it, if there is somewhere */
  if (danger[tile]) {
    for (int d = 0; d < 4; d++) {
      int c = tile % 8 + dx[d], r = tile / 8 + dy[d];
      if (c < 0 || c > 7 || r < 0 || r > 5 || at(p, PITS + r) >> (7 - c) & 1) continue;
      if (!danger[r * 8 + c]) return stick(dx[d], dy[d], false);
    }
  }
  return 0;
}

/* ---- Wispherd: near a wisp with the lantern up, then home with it, around thickets ------------------------------- */

static inline int play_wispherd(player *p) {
  enum { HX = 0xAE, HY = 0xB0, WX = 0xB6, WY = 0xB9, FADE = 0xC5, WAIT = 0xC8, KIND = 0xAC };
  int side = p->seat & 1, x = at(p, HX + side), y = at(p, HY + side), best = -1, least = 9999;
  if (side) x = 152 - x; /* everything as seen by the left herder */
  for (int w = 0; w < 3; w++) {
    int wx = at(p, WX + w), dx, dy = abs(at(p, WY + w) - 1 - y) * 2;
    if (side) wx = 156 - wx;
    dx = abs(wx - 2 - x);
    if (at(p, WAIT + w)) continue;
    int value = w == 2 ? 2 : w == side ? 1 : 3, fades = 255 - at(p, FADE + w);
    int time = dx + dy + 2 * wx - 20 * value - (at(p, KIND) == 1 ? 0 : fades > 160 ? 150 : 0);
    if (dx + dy < 26) time -= 120; /* stay with the wisp that follows */
    if (time < least) least = time, best = w;
  }
  if (best < 0) return 0;
  int wx = at(p, WX + best), wy = at(p, WY + best) - 1;
  if (side) wx = 156 - wx;
  int distance = abs(wx - 2 - x) + 2 * abs(wy - y), to_x = wx - 2, to_y = wy;
  if (distance < 26) to_x = 2, to_y = 37;
  if (distance < 26 && abs(y - 37) > 3 && x < 24)
    to_x = 24; /* not into the corner beside the pen */
  /* between the pens a wisp in front is driven, which is faster */
  bool drive = wx < x - 2 && abs(wy - y) < 4 && abs(wy - 38) < 6 && distance < 44;
  if (drive) to_x = wx, to_y = wy;
  bool fire = distance < 70 && !drive;
  int right = (to_x > x) - (to_x < x), down = (to_y < y) - (to_y > y);
  if (abs(to_y - y) < 2) down = 0;
  /* a herder who is stopped walks aside for a while; wriggle counts frames at one height */
  int stay = p->wriggle & 0xFF, was = p->wriggle >> 8;
  stay = was == y && down ? stay + 1 : 0;
  if (stay > 60) stay = 0;
  if (stay > 12) right = x < 76 ? 1 : -1, down = stay > 40 ? down : 0;
  p->wriggle = y << 8 | stay;
  return stick(side ? -right : right, down, fire);
}

/* ---- Hearthring: under embers, away from hail, or flaring below it when warm ------------------------------------- */

static inline int play_hearthring(player *p) {
  enum { HC = 0xB2, WARM = 0xB6, TX = 0xBA, TK = 0xBE, FALL = 0xD3 };
  int me = p->seat & 3, x = at(p, HC + me), kind = at(p, TK + me), warm = at(p, WARM + me);
  int thing = at(p, TX + me) + 4, fall = at(p, FALL), want = x;
  bool flare = false;
  if (kind >= 1 && kind <= 4) {
    want = thing;
  } else if (kind >= 5 && warm > 14) { /* melt it: the flare costs about two of warmth */
    want = thing;
    flare = fall > 19;
  } else if (kind >= 5 && abs(thing - x) < 16) {
    want = thing > 80 ? thing - 20 : thing + 20;
  }
  return stick((want > x + 3) - (want < x - 3), 0, flare);
}

typedef struct own_game {
  const char *name;
  int (*play)(player *p);
  int seats; /* most players */
  int modes; /* of the cartridge, 0..modes-1; 0..3 are for one player */
} own_game;

static const own_game own_games[] = {
    {"duskrain", play_duskrain, 1, 4},     {"sporefall", play_sporefall, 1, 4},
    {"hedgelight", play_hedgelight, 1, 4}, {"cragfast", play_cragfast, 1, 4},
    {"undervault", play_undervault, 1, 4}, {"afterglow", play_afterglow, 1, 4},
    {"wispherd", play_wispherd, 2, 12},    {"hearthring", play_hearthring, 4, 16},
};
enum { OWN_GAMES = 8 };

#endif
