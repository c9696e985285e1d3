/*
 * generate_training_step.c - training of a network: a stack of activations.
 *
 * Forward allocates one activation a layer and backward frees them in the opposite order, so the
 * newest is needed first, and the optimizer's state is touched once a step only. There are no
 * presents: the work is a computation.
 */
#include "generator.h"

#define LAYERS 20
#define STEPS  7

struct network {
    struct generator generator;
    uint32_t weights[LAYERS], gradients[LAYERS], state[LAYERS], activations[LAYERS];
    uint64_t activation_size[LAYERS];
    uint32_t batch, loss;
};

static void training_start(struct network *network) {
    struct generator *generator = &network->generator;
    network->batch =
        generator_alloc(generator, 0, 2 * MIB, VIDMM_UMD_CPU_VISIBLE | VIDMM_UMD_CACHED, 0);
    network->loss = generator_alloc(generator, 0, 4 * KIB,
                                    VIDMM_UMD_CPU_VISIBLE | VIDMM_UMD_PERMANENT_SYSMEM, 0);
    for (uint32_t i = 0; i < LAYERS; i++) {
        uint64_t size = generator_size(generator, 256 * KIB, 4 * MIB);
        network->weights[i] =
            generator_alloc(generator, 0, size, VIDMM_UMD_LOCAL, D3DDDI_ALLOCATIONPRIORITY_HIGH);
        network->gradients[i] = generator_alloc(generator, 0, size, VIDMM_UMD_LOCAL, 0);
        network->state[i] =
            generator_alloc(generator, 0, 2 * size, VIDMM_UMD_LOCAL | VIDMM_UMD_EVICT_TO_APERTURE,
                            D3DDDI_ALLOCATIONPRIORITY_LOW);
        network->activation_size[i] = generator_size(generator, 512 * KIB, 4 * MIB);
        generator_write(generator, network->weights[i]);
        generator_write(generator, network->state[i]);
        generator_submit(generator, 0);
    }
}

static void forward(struct network *network) {
    struct generator *generator = &network->generator;
    generator_cpu(generator, network->batch);
    for (uint32_t i = 0; i < LAYERS; i++) {
        network->activations[i] =
            generator_alloc(generator, 0, network->activation_size[i], VIDMM_UMD_LOCAL, 0);
        generator_read(generator, i == 0 ? network->batch : network->activations[i - 1]);
        generator_read(generator, network->weights[i]);
        generator_write(generator, network->activations[i]);
        generator_submit(generator, 0);
    }
}

static void backward(struct network *network) {
    struct generator *generator = &network->generator;
    for (uint32_t i = LAYERS; i-- != 0;) {
        generator_read(generator, network->activations[i]);
        generator_read(generator, i == 0 ? network->batch : network->activations[i - 1]);
        generator_read(generator, network->weights[i]);
        generator_write(generator, network->gradients[i]);
        generator_submit(generator, 0);
        generator_free(generator, network->activations[i]);
    }
}

static void optimize(struct network *network) {
    struct generator *generator = &network->generator;
    for (uint32_t i = 0; i < LAYERS; i++) {
        generator_read(generator, network->gradients[i]);
        generator_write(generator, network->weights[i]);
        generator_write(generator, network->state[i]);
        generator_write(generator, network->loss);
        generator_submit(generator, 0);
    }
    generator_cpu(generator, network->loss);
}

bool generate_training_step(uint64_t seed, struct vidmm_workload *out,
                            struct vidmm_workload_error *error) {
    struct network network;
    generator_start(&network.generator, "training-step", seed);
    training_start(&network);
    for (uint32_t step = 0; step < STEPS; step++) {
        forward(&network);
        backward(&network);
        optimize(&network);
    }
    return generator_finish(&network.generator, out, error);
}
