/* The search for blobs by runs, compiled once per instruction set by blobs.c, which defines
 *
 *     SCAN         the name of the function
 *     TARGET       its attributes
 *     ROW_EQUAL    whether two rows are equal
 *     ROW_EDGES    the columns whose right neighbor differs, as 160 bits in three words; column 159 always
 *
 * Three rules make it exact and cheap. A row that equals one of the `neighborhood` rows above adds nothing but height
 * to that row's blobs. A run that lies within a run of its color in one of those rows belongs to that run's blob, and
 * whatever else is near it is near that run as well. Only other runs are compared: with the runs of the rows above that
 * reach within `neighborhood` columns of them, and with those to the left in the same row. */
static TARGET void SCAN(blob_finder *f, const uint8_t *screen, int height) {
  const int near = f->neighborhood;
  int records = 0, runs = 0, alive_count = 0, above = -1;
  int alive[BLOB_NEIGHBORHOOD_MAX + 1]; /* records within reach, in order of first rows */
  f->boxes = 0;
  for (int row = 0; row < height; row++) {
    const uint8_t *line = screen + row * BLOB_WIDTH;
    int same = -1;
    for (int k = 1; k <= near && k <= row && same < 0; k++) {
      if (ROW_EQUAL(line, line - k * BLOB_WIDTH)) same = f->record[row - k];
    }
    if (same >= 0) {
      f->record[row] = (int16_t)same;
      f->last[same] = row;
      for (int i = f->first[same]; i < f->first[same + 1]; i++)
        f->box[blob_of(f, &f->runs[i])].bottom = (uint8_t)row;
      above = same;
      continue;
    }
    int kept = 0;
    for (int i = 0; i < alive_count; i++) {
      if (f->last[alive[i]] >= row - near) alive[kept++] = alive[i];
    }
    alive_count = kept;
    uint64_t edges[3];
    ROW_EDGES(line, edges);
    const int record = records++, base = runs;
    f->record[row] = (int16_t)record;
    f->first[record] = base;
    int from = 0, over = above >= 0 ? f->first[above] : 0;
    for (int word = 0; word < 3; word++) {
      for (uint64_t bits = edges[word]; bits; bits &= bits - 1) {
        const int to = 64 * word + __builtin_ctzll(bits);
        const uint8_t color = line[from] >> 1;
        int label = -1;
        /* in pieces of a fixed size; what goes beyond the run is overwritten by the runs that follow */
        for (int x = from; x <= to; x += BLOB_PIECE)
          memset(f->at[record] + x, runs - base, BLOB_PIECE);
        /* within a run of its color above? */
        if (above >= 0) {
          while (f->runs[over].to < from) over++;
          if (f->runs[over].color == color && f->runs[over].to >= to)
            label = blob_of(f, &f->runs[over]);
          for (int i = alive_count - 1; i >= 0 && label < 0; i--) {
            blob_run *run = &f->runs[f->first[alive[i]] + f->at[alive[i]][from]];
            if (run->color == color && run->to >= to) label = blob_of(f, run);
          }
        }
        if (label >= 0) {
          f->box[label].bottom = (uint8_t)row;
        } else {
          const int low = from > near ? from - near : 0;
          for (int i = 0; i < alive_count; i++) {
            blob_run *run = &f->runs[f->first[alive[i]] + f->at[alive[i]][low]];
            blob_run *end = &f->runs[f->first[alive[i] + 1]];
            for (; run < end && run->from <= to + near; run++) {
              if (run->color == color) label = blob_join(f, label, blob_of(f, run));
            }
          }
          for (int i = runs - 1; i >= base && f->runs[i].to + near >= from; i--) {
            if (f->runs[i].color == color) label = blob_join(f, label, blob_of(f, &f->runs[i]));
          }
          if (label < 0) {
            label = f->boxes++;
            f->box[label] =
                (blob_box){label, (uint8_t)row, (uint8_t)row, (uint8_t)from, (uint8_t)to, color};
          } else {
            blob_box *box = &f->box[label];
            box->bottom = (uint8_t)row;
            if (from < box->left) box->left = (uint8_t)from;
            if (to > box->right) box->right = (uint8_t)to;
          }
        }
        f->runs[runs++] = (blob_run){(uint8_t)from, (uint8_t)to, color, 0, label};
        from = to + 1;
      }
    }
    f->first[records] = runs;
    f->last[record] = row;
    alive[alive_count++] = record;
    above = record;
  }
}
