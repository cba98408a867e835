/* Optimizers: the constants of a step, the norm of the gradients, the step itself. */
#include "nn/nn_optimizer.h"

#include "nn/nn_kernels.h"
#include "nn/nn_net.h"
#include "nn/nn_sum.h"
#include "util/error.h"

sixer_err nn_optimizer_create(const nn_net *net, nn_optimizer *o, sixer_error *error) {
  o->steps = 0;
  o->beta1_power = o->beta2_power = 1;
  o->first = o->second = NULL;
  if (o->kind < NN_ADAM || o->kind > NN_RMSPROP || !(o->rate > 0) || !(o->beta1 >= 0) ||
      !(o->beta1 < 1) || !(o->beta2 >= 0) || !(o->beta2 < 1) || !(o->epsilon > 0) ||
      !(o->max_norm >= 0))
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "an optimizer needs a rate and an epsilon above 0, decays in [0, 1) and a "
                      "norm of 0 or more; found rate %g, decays %g and %g, epsilon %g, norm %g",
                      o->rate, o->beta1, o->beta2, o->epsilon, o->max_norm);
  o->first = nn_block_create(net);
  o->second = nn_block_create(net);
  if (o->first && o->second) return SIXER_OK;
  nn_optimizer_destroy(o);
  return sixer_fail(error, SIXER_ERR_MEMORY, "no memory for the moments of an optimizer");
}

void nn_optimizer_destroy(nn_optimizer *o) {
  nn_block_destroy(o->first);
  nn_block_destroy(o->second);
  o->first = o->second = NULL;
}

/* RAdam (Liu et al. 2020): 0 while the variance of the adaptive rate is unbounded. */
static double rectification(double beta2, double power, double steps) {
  double limit = 2 / (1 - beta2) - 1, length = limit - 2 * steps * power / (1 - power);
  if (length <= 5) return 0;
  return sqrt((length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length));
}

nn_step nn_optimizer_next(nn_optimizer *o, float norm) {
  o->steps++;
  o->beta1_power *= o->beta1;
  o->beta2_power *= o->beta2;
  double correct1 = 1 / (1 - o->beta1_power), correct2 = 1 / (1 - o->beta2_power);
  double rate = -o->rate;
  nn_step s = {.kind = NN_STEP_ADAPTIVE,
               .clip = o->max_norm > 0 && norm > o->max_norm ? (float)(o->max_norm / norm) : 1,
               .keep1 = (float)o->beta1,
               .gain1 = (float)(1 - o->beta1),
               .keep2 = (float)o->beta2,
               .gain2 = (float)(1 - o->beta2),
               .epsilon = (float)o->epsilon};
  if (o->kind == NN_RMSPROP) {
    s.kind = NN_STEP_CENTERED;
    s.rate = (float)rate;
    return s;
  }
  rate *= correct1;
  if (o->kind == NN_RADAM) {
    double r = rectification(o->beta2, o->beta2_power, (double)o->steps);
    if (r == 0) {
      s.kind = NN_STEP_MOMENTUM;
      s.rate = (float)rate;
      return s;
    }
    rate *= r;
  }
  if (o->epsilon_before_correction) {
    s.rate = (float)(rate / sqrt(correct2));
    s.correct2 = 1;
  } else {
    s.rate = (float)rate;
    s.correct2 = (float)correct2;
  }
  return s;
}

/* ---- Passes over a whole block, in pieces ---------------------------------------------------------------------- */

enum { PIECE = 16 * NN_SUM_BLOCK };

typedef struct block_call {
  nn_net *net;
  const float *gradients;
  const nn_step *step;
  nn_optimizer *optimizer;
  float *block;
} block_call;

static int pieces(const nn_net *net) { return (int)((net->layout.floats + PIECE - 1) / PIECE); }
static size_t piece_end(const nn_net *net, int piece) {
  size_t end = ((size_t)piece + 1) * PIECE;
  return end < net->layout.floats ? end : net->layout.floats;
}

static void sum_piece(void *context, int piece, int thread) {
  (void)thread;
  const block_call *c = context;
  for (size_t i = (size_t)piece * PIECE, end = piece_end(c->net, piece); i < end;
       i += NN_SUM_BLOCK) {
    size_t count = end - i < NN_SUM_BLOCK ? end - i : NN_SUM_BLOCK;
    const float *g = c->gradients + i;
    c->net->sums[i / NN_SUM_BLOCK] =
        c->net->kernels ? c->net->kernels->square_block(g, count) : nn_dot_block(g, g, count);
  }
}

/* Blocks of 4,096 squares as in nn_sum.h, whose sums are added in order, as doubles. */
float nn_gradient_norm(nn_net *net, const float *gradients) {
  block_call call = {.net = net, .gradients = gradients};
  pool_run(net->pool, sum_piece, &call, pieces(net));
  double sum = 0;
  for (size_t i = 0; i < net->layout.floats; i += NN_SUM_BLOCK) sum += net->sums[i / NN_SUM_BLOCK];
  return (float)sqrt(sum);
}

static void step_piece(void *context, int piece, int thread) {
  (void)thread;
  const block_call *c = context;
  size_t begin = (size_t)piece * PIECE, end = piece_end(c->net, piece);
  float *first = c->optimizer->first, *second = c->optimizer->second;
  if (c->net->kernels) {
    c->net->kernels->step(c->step, c->block + begin, first + begin, second + begin,
                          c->gradients + begin, end - begin, 0);
    return;
  }
  for (size_t i = begin; i < end; i++)
    nn_step_one(c->step, &c->block[i], &first[i], &second[i], c->gradients[i]);
}

void nn_optimize(nn_net *net, nn_optimizer *o, float *block, const float *gradients) {
  nn_step step = nn_optimizer_next(o, o->max_norm > 0 ? nn_gradient_norm(net, gradients) : 0);
  block_call call = {
      .net = net, .gradients = gradients, .step = &step, .optimizer = o, .block = block};
  pool_run(net->pool, step_piece, &call, pieces(net));
}

void nn_update(nn_net *net, nn_optimizer *o, float *block, const float *noise,
               const float *d_outputs) {
  if (net->engine->update && !(o->max_norm > 0)) {
    nn_step step = nn_optimizer_next(o, 0);
    net->engine->update(net->engine, &step, o, block, noise, d_outputs, net->gradients);
    return;
  }
  /* the norm of all gradients decides on each step */
  nn_backward(net, block, noise, d_outputs, net->gradients);
  nn_optimize(net, o, block, net->gradients);
}
