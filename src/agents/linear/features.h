/* Feature sets: what a linear learner sees of a screen or of the RAM; internal to src/agents/linear.
 *
 * A feature set is a file with one `const feature_class`, listed in features.c. Its struct begins with a `feature_set`.
 * It turns the env as it stands into a list of ids of active features. The learner keeps one row of weights per id, and
 * rows of ids that never occur take no memory. Dense sets use the index of the paper as id. Sparse sets (Blob-PROST
 * has 115 million indices, of which a game shows one in a hundred) number features in the order of first sight, and
 * keep the key of each id for saving.
 *
 * Ids must be a function of the screens seen since creation alone, never of addresses or of the order of a hash table:
 * the learner adds weights up in the order of the list, and float sums depend on their order. */
#ifndef SIXER_AGENTS_LINEAR_FEATURES_H
#define SIXER_AGENTS_LINEAR_FEATURES_H

#include "agents/agent.h"

/* The options of all feature sets. An agent with features has them in its struct and their rows in its table of
 * options (FEATURE_OPTIONS); a set looks only at its own. */
typedef struct feature_settings {
  int set;                  /* index into FEATURE_SETS */
  bool averaging;           /* blend each picture with the one before it */
  bool bias;                /* one more feature that is always active; Blob-PROST always has it */
  bool basic_ignores_color; /* Blob-PROST: the basic features are "some blob is here" */
  int64_t neighborhood;     /* Blob-PROST: pixels of a color this close make one blob */
  char background[AGENT_TEXT_SIZE]; /* file of the background model; empty: it is sampled */
  bool no_files;              /* the background model comes with a saved agent, not from its file */
  int64_t background_screens; /* how many screens it is sampled from */
  int64_t background_seed;    /* seed of that play, and of the play in which DISCO finds classes */
  int lsh_binarize;           /* index into LSH_BINARIZE */
  int64_t lsh_seed;           /* seed of the random projections */
  int64_t disco_screens;      /* how many screens DISCO finds classes in */
  int64_t disco_length;       /* pixels that a class must have moved over, or it is dropped */
  int64_t disco_instances;    /* objects of one class on a screen, at most */
} feature_settings;

#define LSH_BINARIZE "bits|onehot"

/* The rows of the options of the sets other than Blob-PROST, for an agent of this type with this field. */
/* clang-format off */
#define FEATURE_SET_OPTIONS(type, field)                                                           \
  {"background", AGENT_TEXT, offsetof(type, field.background), "", 0, 0, NULL,                     \
   "file of `sixer background`; empty: sampled before learning begins"},                           \
  {"background_screens", AGENT_INT, offsetof(type, field.background_screens), "18000", 1, 1e7,     \
   NULL, "to sample a background from"},                                                           \
  {"background_seed", AGENT_INT, offsetof(type, field.background_seed), "1", 0, 4294967295, NULL,  \
   "of the play that the background, and the classes of disco, are found in"},                     \
  {"lsh_binarize", AGENT_CHOICE, offsetof(type, field.lsh_binarize), "bits", 0, 0, LSH_BINARIZE,   \
   "lsh: 7 bits of each pixel's color, or one for each of 128 colors"},                            \
  {"lsh_seed", AGENT_INT, offsetof(type, field.lsh_seed), "1", 0, 4294967295, NULL,                \
   "lsh: of the projections"},                                                                     \
  {"disco_screens", AGENT_INT, offsetof(type, field.disco_screens), "36000", 1, 1e7, NULL,         \
   "disco: in which classes are found"},                                                           \
  {"disco_length", AGENT_INT, offsetof(type, field.disco_length), "10", 0, 210, NULL,              \
   "disco: pixels that a class must have moved over to count"},                                    \
  {"disco_instances", AGENT_INT, offsetof(type, field.disco_instances), "20", 1, 1000, NULL,       \
   "disco: of a class on a screen, at most"}
/* clang-format on */

/* The names, in the order of the table in features.c. */
#define FEATURE_SETS "blob-prost|basic|bass|disco|lsh|ram|b-pros|b-prost"

/* A growing list of ids. */
typedef struct feature_list {
  uint32_t *ids;
  int count, capacity;
  bool failed; /* no memory; the list is incomplete */
} feature_list;
void feature_list_grow(feature_list *list, int count); /* make room for `count` in all */
static inline bool feature_list_room(feature_list *list, int more) {
  if (list->count + more > list->capacity) feature_list_grow(list, list->count + more);
  return list->count + more <= list->capacity;
}
static inline void feature_list_add(feature_list *list, uint32_t id) {
  if (feature_list_room(list, 1)) list->ids[list->count++] = id;
}
void feature_list_free(feature_list *list);

typedef struct feature_class feature_class;

typedef struct feature_set {
  const feature_class *class;
  /* Ids are below it: of dense sets the number of indices, of sparse ones how many features were seen so far. */
  uint32_t count;
} feature_set;

struct feature_class {
  const char *name, *summary;
  size_t size;        /* of the set's struct */
  uint32_t max_count; /* ids are below this forever; at most 2^31 */
  bool dense;         /* `count` is known at creation and stays */
  bool ram;           /* looks at RAM only: no picture is drawn for it */
  bool background;    /* needs a background model */
  bool counts;        /* an id that is listed several times counts as often (DISCO); else once */
  /* Sets whose features are bits and all unordered pairs of bits (RAM, BASS): how many bits, a multiple of 64; else 0.
   * With replacing traces and without a bias, a learner can use a pair_store (pairs.h) and `look` instead of `active`:
   * it writes the bits. */
  int pair_bits;
  sixer_err (*look)(feature_set *set, sixer_env *env, uint64_t *bits, sixer_error *error);
  /* Allocate and check the settings; may be NULL. `count` is to be set. On failure, destroy is called. */
  sixer_err (*create)(feature_set *set, const feature_settings *settings, sixer_error *error);
  void (*destroy)(feature_set *set); /* frees what create allocated, not the struct; may be NULL */
  void (*begin)(feature_set *set);   /* a new episode: forget the screen before; may be NULL */
  /* Append the ids of the features that are active in the env as it stands. The order depends on the screens only;
   * an id may occur more than once. The screen becomes "the screen before" of the next call. */
  sixer_err (*active)(feature_set *set, sixer_env *env, feature_list *out, sixer_error *error);
  /* Sparse sets: forget the ids from `count` on, as if the features had never been seen. */
  void (*forget)(feature_set *set, uint32_t count);
  size_t (*memory)(const feature_set *set); /* bytes held; may be NULL */
  /* All that `active` depends on: the keys of the ids, the screen before. NULL: nothing. Sections are named
   * "agent.features" and so on. The loader trusts no byte. */
  sixer_err (*save)(const feature_set *set, sections_writer *out, sixer_error *error);
  sixer_err (*load)(feature_set *set, sections_reader *in, sixer_error *error);
};

/* Create a set by its index in FEATURE_SETS. */
sixer_err feature_set_create(const feature_settings *settings, feature_set **set,
                             sixer_error *error);
void feature_set_destroy(feature_set *set); /* NULL is allowed */
const feature_class *feature_class_at(int set);

/* The sets, by file. */
extern const feature_class features_blob_prost;               /* blob_prost.c */
extern const feature_class features_basic, features_bass;     /* basic.c, bass.c */
extern const feature_class features_b_pros, features_b_prost; /* b_prost.c */
extern const feature_class features_ram, features_lsh;        /* ram.c, lsh.c */
extern const feature_class features_disco;                    /* disco.c */

#endif
