-- Version 1 of the store: runs, what they were made of, and their results. docs/store.md describes every column.
CREATE TABLE experiments (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  text TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  added TEXT NOT NULL
);

CREATE TABLE protocols (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  text TEXT NOT NULL,
  limits TEXT NOT NULL
);

CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  experiment_id INTEGER NOT NULL REFERENCES experiments (id),
  protocol_id INTEGER NOT NULL REFERENCES protocols (id),
  label TEXT NOT NULL,
  agent TEXT NOT NULL,
  options TEXT NOT NULL,
  game TEXT NOT NULL,
  rom TEXT,
  mode INTEGER NOT NULL,
  difficulty INTEGER NOT NULL,
  seed INTEGER NOT NULL,
  frames_budget INTEGER NOT NULL,
  episodes_budget INTEGER NOT NULL,
  evaluation_budget INTEGER NOT NULL,
  behavior INTEGER NOT NULL,
  version TEXT,
  machine TEXT,
  path TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed', 'missing', 'away')),
  owner TEXT,
  host TEXT,
  pid INTEGER,
  process_start INTEGER,
  heartbeat REAL,
  attempts INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  added TEXT NOT NULL,
  started TEXT,
  ended TEXT,
  seconds REAL NOT NULL DEFAULT 0,
  share REAL NOT NULL DEFAULT 0,
  frames INTEGER NOT NULL DEFAULT 0,
  steps INTEGER NOT NULL DEFAULT 0,
  episodes INTEGER NOT NULL DEFAULT 0,
  mean REAL,
  best REAL,
  evaluated INTEGER NOT NULL DEFAULT 0,
  evaluation_frames INTEGER NOT NULL DEFAULT 0,
  evaluation_mean REAL,
  score REAL
);
CREATE INDEX runs_by_state ON runs (state, id);
CREATE INDEX runs_by_name ON runs (label, game, seed);

CREATE TABLE episodes (
  run_id INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  phase TEXT NOT NULL CHECK (phase IN ('training', 'evaluation')),
  number INTEGER NOT NULL,
  frames INTEGER NOT NULL,
  score REAL NOT NULL,
  score_1 REAL,
  score_2 REAL,
  score_3 REAL,
  steps INTEGER NOT NULL,
  total_frames INTEGER NOT NULL,
  "end" TEXT NOT NULL,
  lives INTEGER,
  mode INTEGER NOT NULL,
  difficulty INTEGER NOT NULL,
  level INTEGER NOT NULL,
  PRIMARY KEY (run_id, phase, number)
) WITHOUT ROWID;

CREATE TABLE curve (
  run_id INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  frames INTEGER NOT NULL,
  episodes INTEGER NOT NULL,
  steps INTEGER NOT NULL,
  mean REAL NOT NULL,
  averaged INTEGER NOT NULL,
  best REAL NOT NULL,
  features INTEGER NOT NULL,
  PRIMARY KEY (run_id, frames)
) WITHOUT ROWID;

CREATE TABLE scores (
  run_id INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  score REAL NOT NULL,
  score_1 REAL,
  score_2 REAL,
  score_3 REAL,
  averaged INTEGER NOT NULL,
  PRIMARY KEY (run_id, at)
) WITHOUT ROWID;

CREATE TABLE files (
  run_id INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  path TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  frames INTEGER NOT NULL,
  score REAL,
  PRIMARY KEY (run_id, kind, path)
) WITHOUT ROWID;

-- What people ask; see docs/store.md.
CREATE VIEW results AS
SELECT r.label AS agent, r.game, r.seed, s.at AS frames, s.score, s.averaged, p.name AS protocol, r.state
FROM scores s JOIN runs r ON r.id = s.run_id JOIN protocols p ON p.id = r.protocol_id
ORDER BY r.label, r.game, r.seed, s.at;

CREATE VIEW means AS
SELECT label AS agent, game, COUNT(score) AS runs, AVG(score) AS mean, MIN(score) AS lowest, MAX(score) AS highest
FROM runs WHERE state = 'done' AND score IS NOT NULL GROUP BY label, game ORDER BY game, mean DESC;

CREATE VIEW progress AS
SELECT id, label AS agent, game, seed, state, ROUND(100 * share, 1) AS percent, frames, episodes, mean, best,
       evaluated, evaluation_mean, score, ROUND(seconds, 1) AS seconds, error
FROM runs ORDER BY id;

CREATE VIEW failures AS
SELECT id, label AS agent, game, seed, state, attempts, error FROM runs WHERE state IN ('failed', 'missing') ORDER BY id;

CREATE VIEW best_episodes AS
SELECT r.label AS agent, r.game, r.seed, e.phase, e.number, MAX(e.score) AS score, e.frames, e.level
FROM episodes e JOIN runs r ON r.id = e.run_id GROUP BY e.run_id, e.phase ORDER BY r.game, score DESC;
