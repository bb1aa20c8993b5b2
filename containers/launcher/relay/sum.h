/* A keyed sum of a stream of bytes (SipHash-2-4, Aumasson and Bernstein 2012), of any beginning of it at any time. Who
 * does not know the key finds no two streams of one sum. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sum {
    uint64_t v[4], word, bytes; /* `word`: the last bytes % 8, not mixed in yet */
};

static inline uint64_t rotated(uint64_t value, int by) { return value << by | value >> (64 - by); }

static inline void sum_mix(uint64_t *v, int rounds)
{
    while (rounds-- > 0) {
        v[0] += v[1], v[1] = rotated(v[1], 13) ^ v[0], v[0] = rotated(v[0], 32);
        v[2] += v[3], v[3] = rotated(v[3], 16) ^ v[2];
        v[0] += v[3], v[3] = rotated(v[3], 21) ^ v[0];
        v[2] += v[1], v[1] = rotated(v[1], 17) ^ v[2], v[2] = rotated(v[2], 32);
    }
}

static inline void sum_word(uint64_t *v, uint64_t word)
{
    v[3] ^= word;
    sum_mix(v, 2);
    v[0] ^= word;
}

static inline struct sum sum_begin(const uint64_t *key)
{
    return (struct sum){.v = {key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d, key[0] ^ 0x6c7967656e657261,
                              key[1] ^ 0x7465646279746573}};
}

static inline void sum_add(struct sum *sum, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sum->word |= (uint64_t)(uint8_t)bytes[i] << 8 * (sum->bytes++ % 8);
        if (sum->bytes % 8 == 0) {
            sum_word(sum->v, sum->word);
            sum->word = 0;
        }
    }
}

static inline uint64_t sum_of(struct sum sum)
{
    sum_word(sum.v, sum.word | sum.bytes << 56);
    sum.v[2] ^= 0xff;
    sum_mix(sum.v, 4);
    return sum.v[0] ^ sum.v[1] ^ sum.v[2] ^ sum.v[3];
}
