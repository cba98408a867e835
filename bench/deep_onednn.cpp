// The contender of `bench/compare --deep` on oneDNN: one update of DQN (Mnih et al. 2015, 18 actions, batch 32): target
// pass, online pass, Huber loss, backward pass, Adam. Layouts are of oneDNN's choice (format_tag::any); ReLU is part of
// the forward primitives; the dense layers take two-dimensional inputs, for which it has better kernels; Adam is a loop
// that the compiler vectorizes. The observations are bytes and are converted in the update, as in the other contenders.
//
//     OMP_NUM_THREADS=1 deep_onednn 1 SECONDS     processor time; with more threads time by the clock
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <unordered_map>
#include <vector>

#include <oneapi/dnnl/dnnl.hpp>

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

static const int BATCH = 32, ACTIONS = 18;
static engine cpu(engine::kind::cpu, 0);
static stream queue(cpu);

static memory plain(memory::dims dims, tag t) { return memory({dims, dt::f32, t}, cpu); }

static memory as(memory from, const memory::desc &wanted, memory &kept) {
  if (from.get_desc() == wanted) return from;
  if (!kept) kept = memory(wanted, cpu);
  reorder(from, kept).execute(queue, from, kept);
  return kept;
}

static void fill(memory m) {
  float *at = static_cast<float *>(m.get_data_handle());
  for (size_t i = 0; i < m.get_desc().get_size() / 4; i++) at[i] = 0.04f * (float(std::rand()) / float(RAND_MAX) - 0.5f);
}

struct Parameters {
  memory value, first, second;
  void make(const memory::desc &d) {
    for (memory *m : {&value, &first, &second}) {
      *m = memory(d, cpu);
      std::fill_n(static_cast<char *>(m->get_data_handle()), d.get_size(), 0);
    }
    fill(value);
  }
  void adam(memory gradient, float rate, float root) {
    float *w = static_cast<float *>(value.get_data_handle()), *m = static_cast<float *>(first.get_data_handle());
    float *v = static_cast<float *>(second.get_data_handle());
    const float *g = static_cast<const float *>(gradient.get_data_handle());
    const long count = long(value.get_desc().get_size() / 4);
#pragma omp parallel for simd
    for (long i = 0; i < count; i++) {
      m[i] = 0.9f * m[i] + 0.1f * g[i];
      v[i] = 0.999f * v[i] + 0.001f * g[i] * g[i];
      w[i] -= rate * m[i] / (std::sqrt(v[i]) / root + 1.5e-4f);
    }
  }
};

// A convolution or a dense layer; ReLU behind it if `relu`.
template <class F, class W, class D> struct Layer {
  typename F::primitive_desc forward_pd;
  typename W::primitive_desc weights_pd;
  typename D::primitive_desc data_pd;
  eltwise_backward::primitive_desc relu_pd;
  F forward_run;
  W weights_run;
  D data_run;
  eltwise_backward relu_run;
  Parameters weights, bias;
  memory target_weights, target_bias, source, output, gradient;
  bool relu = false, first = false;
  memory kept[8];

  template <class MF, class MW, class MD> void make(bool with_relu, bool is_first, MF mf, MW mw, MD md) {
    relu = with_relu, first = is_first;
    primitive_attr attributes;
    if (relu) {
      post_ops after;
      after.append_eltwise(1.0f, algorithm::eltwise_relu, 0.0f, 0.0f);
      attributes.set_post_ops(after);
    }
    forward_pd = typename F::primitive_desc(mf(), attributes, cpu);
    weights_pd = typename W::primitive_desc(mw(), cpu, forward_pd);
    forward_run = F(forward_pd), weights_run = W(weights_pd);
    if (!first) data_pd = typename D::primitive_desc(md(), cpu, forward_pd), data_run = D(data_pd);
    weights.make(forward_pd.weights_desc()), bias.make(forward_pd.bias_desc());
    target_weights = memory(forward_pd.weights_desc(), cpu), target_bias = memory(forward_pd.bias_desc(), cpu);
    fill(target_weights), fill(target_bias);
    output = memory(forward_pd.dst_desc(), cpu);
    if (relu) {
      const auto d = forward_pd.dst_desc();
      const auto kind = algorithm::eltwise_relu_use_dst_for_bwd;
      eltwise_forward::primitive_desc hint({prop_kind::forward_training, kind, d, 0.0f, 0.0f}, cpu);
      relu_pd = eltwise_backward::primitive_desc({kind, d, d, 0.0f, 0.0f}, cpu, hint);
      relu_run = eltwise_backward(relu_pd);
    }
  }

  memory forward(memory in, bool target) {
    source = as(in, forward_pd.src_desc(), kept[0]);
    forward_run.execute(queue, {{DNNL_ARG_SRC, source},
                                {DNNL_ARG_WEIGHTS, target ? target_weights : weights.value},
                                {DNNL_ARG_BIAS, target ? target_bias : bias.value},
                                {DNNL_ARG_DST, output}});
    return output;
  }

  // Gradients and Adam; returns the derivative by the inputs.
  memory backward(memory d_output, float rate, float root) {
    if (relu) {
      memory in = as(d_output, relu_pd.diff_dst_desc(), kept[1]);
      if (!kept[2]) kept[2] = memory(relu_pd.diff_src_desc(), cpu);
      relu_run.execute(queue, {{DNNL_ARG_DST, output}, {DNNL_ARG_DIFF_DST, in}, {DNNL_ARG_DIFF_SRC, kept[2]}});
      d_output = kept[2];
    }
    memory d_input;
    if (!first) {
      memory d = as(d_output, data_pd.diff_dst_desc(), kept[3]);
      memory w = as(weights.value, data_pd.weights_desc(), kept[4]);
      if (!gradient) gradient = memory(data_pd.diff_src_desc(), cpu);
      data_run.execute(queue, {{DNNL_ARG_DIFF_DST, d}, {DNNL_ARG_WEIGHTS, w}, {DNNL_ARG_DIFF_SRC, gradient}});
      d_input = gradient;
    }
    memory d = as(d_output, weights_pd.diff_dst_desc(), kept[5]);
    memory s = as(source, weights_pd.src_desc(), kept[6]);
    static std::unordered_map<void *, memory> d_weights, d_biases;
    memory &dw = d_weights[this], &db = d_biases[this];
    if (!dw) dw = memory(weights_pd.diff_weights_desc(), cpu), db = memory(weights_pd.diff_bias_desc(), cpu);
    weights_run.execute(queue, {{DNNL_ARG_SRC, s},
                                {DNNL_ARG_DIFF_DST, d},
                                {DNNL_ARG_DIFF_WEIGHTS, dw},
                                {DNNL_ARG_DIFF_BIAS, db}});
    queue.wait();
    memory g = as(dw, forward_pd.weights_desc(), kept[7]);
    queue.wait();
    weights.adam(g, rate, root), bias.adam(db, rate, root);
    return d_input;
  }
};

using Convolution = Layer<convolution_forward, convolution_backward_weights, convolution_backward_data>;
using Dense = Layer<inner_product_forward, inner_product_backward_weights, inner_product_backward_data>;

static memory::desc any(memory::dims dims) { return {dims, dt::f32, tag::any}; }

static void make(Convolution &l, int channels, int size, int filters, int kernel, int stride, bool first) {
  int out = (size - kernel) / stride + 1;
  auto s = any({BATCH, channels, size, size}), w = any({filters, channels, kernel, kernel}),
       d = any({BATCH, filters, out, out});
  memory::desc b({filters}, dt::f32, tag::a);
  memory::dims strides = {stride, stride}, none = {0, 0};
  auto kind = algorithm::convolution_direct;
  l.make(
      true, first,
      [&] { return convolution_forward::desc(prop_kind::forward_training, kind, s, w, b, d, strides, none, none); },
      [&] { return convolution_backward_weights::desc(kind, s, w, b, d, strides, none, none); },
      [&] { return convolution_backward_data::desc(kind, s, w, d, strides, none, none); });
}

static void make(Dense &l, int inputs, int outputs, bool relu) {
  auto s = any({BATCH, inputs}), w = any({outputs, inputs}), d = any({BATCH, outputs});
  memory::desc b({outputs}, dt::f32, tag::a);
  // gradients in the layout of the weights: a reorder of 6.4 MB for every update takes longer
  l.make(
      relu, false, [&] { return inner_product_forward::desc(prop_kind::forward_training, s, w, b, d); },
      [&] { return inner_product_backward_weights::desc(s, l.forward_pd.weights_desc(), b, d); },
      [&] { return inner_product_backward_data::desc(s, w, d); });
}

static double seconds(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  const bool one = std::atoi(argv[1]) == 1;
  const double limit = std::atof(argv[2]);
  Convolution conv[3];
  Dense dense[2];
  make(conv[0], 4, 84, 32, 8, 4, true);
  make(conv[1], 32, 20, 64, 4, 2, false);
  make(conv[2], 64, 9, 64, 3, 1, false);
  make(dense[0], 3136, 512, true);
  make(dense[1], 512, ACTIONS, false);
  std::vector<uint8_t> states(2 * BATCH * 4 * 84 * 84);
  for (auto &x : states) x = uint8_t(std::rand());
  memory input = plain({BATCH, 4, 84, 84}, tag::nchw), flat = plain({BATCH, 64, 7, 7}, tag::nchw);
  memory q = plain({BATCH, ACTIONS}, tag::nc), d_q = plain({BATCH, ACTIONS}, tag::nc);
  memory flat_2d({{BATCH, 3136}, dt::f32, tag::nc}, cpu, flat.get_data_handle());
  std::vector<float> best(BATCH);

  auto pass = [&](const uint8_t *bytes, bool target) {
    float *in = static_cast<float *>(input.get_data_handle());
    const long count = long(BATCH) * 4 * 84 * 84;
#pragma omp parallel for simd
    for (long i = 0; i < count; i++) in[i] = float(bytes[i]) * (1 / 255.0f);
    memory x = input;
    for (auto &l : conv) x = l.forward(x, target);
    reorder(x, flat).execute(queue, x, flat);
    x = dense[0].forward(flat_2d, target);
    x = dense[1].forward(x, target);
    reorder(x, q).execute(queue, x, q);
    queue.wait();
  };

  double shortest = 1e9, power1 = 1, power2 = 1, end = seconds(CLOCK_MONOTONIC) + limit;
  const clockid_t clock = one ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
  for (int round = 0; round < 10 || seconds(CLOCK_MONOTONIC) < end; round++) {
    double begin = seconds(clock);
    power1 *= 0.9, power2 *= 0.999;
    const float rate = float(6.25e-5 / (1 - power1)), root = float(std::sqrt(1 - power2));
    const float *values = static_cast<const float *>(q.get_data_handle());
    float *d = static_cast<float *>(d_q.get_data_handle());
    pass(states.data() + long(BATCH) * 4 * 84 * 84, true);
    for (int i = 0; i < BATCH; i++) {
      best[size_t(i)] = values[i * ACTIONS];
      for (int a = 1; a < ACTIONS; a++) best[size_t(i)] = std::fmax(best[size_t(i)], values[i * ACTIONS + a]);
    }
    pass(states.data(), false);
    for (int i = 0; i < BATCH * ACTIONS; i++) d[i] = 0;
    for (int i = 0; i < BATCH; i++) {
      const int k = i * ACTIONS + i % ACTIONS;
      d[k] = std::fmax(-1.0f, std::fmin(1.0f, values[k] - 0.99f * best[size_t(i)])) / BATCH;
    }
    memory g = dense[1].backward(d_q, rate, root);
    g = dense[0].backward(g, rate, root);
    // the derivative by the flat inputs as a picture again
    static memory kept;
    memory row = as(g, {{BATCH, 3136}, dt::f32, tag::nc}, kept);
    queue.wait();
    memory picture({{BATCH, 64, 7, 7}, dt::f32, tag::nchw}, cpu, row.get_data_handle());
    for (int i = 2; i >= 0; i--) picture = conv[i].backward(picture, rate, root);
    queue.wait();
    if (round > 2) shortest = std::fmin(shortest, seconds(clock) - begin);
  }
  const dnnl_version_t *v = dnnl_version();
  std::printf("dqn %.9f\nversion %d.%d.%d\n", shortest, v->major, v->minor, v->patch);
  return 0;
}
