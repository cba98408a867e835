# label: whole
"""The paper's Atari-5 subset among all 3,819,816 over 100 seeded splits: its rank, error and R2."""

import json
import os
import subprocess
import sys

program = os.path.join(os.environ.get("SIXER_BUILD", "build/release"), "sixer")
done = subprocess.run(
    [program, "atari5", "search", "--splits", "100", "--top", "1", "--json"], capture_output=True, text=True
)
if done.returncode:
    print(done.stderr)
    sys.exit(1)
found = json.loads(done.stdout)["splits"][0]
print(
    "first in %(times_first)d of %(splits)d splits, worst rank %(worst_rank)d; error %(cv_mse).6f, R2 %(cv_r2).4f, "
    "relative error %(relative_error).2f %%" % found
)
wanted = {"splits": 100, "first_seed": 0, "times_first": 51, "best_rank": 1, "median_rank": 1, "worst_rank": 12}
wrong = {k: found[k] for k in wanted if found[k] != wanted[k]}
wrong.update(
    {
        k: found[k]
        for k, v in (("cv_mse", 0.00333544), ("cv_r2", 0.984444), ("relative_error", 10.29721))
        if abs(found[k] / v - 1) > 1e-6
    }
)
if wrong:
    print("FAILED: not as before: %s" % wrong)
sys.exit(1 if wrong else 0)
