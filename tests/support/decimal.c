/* Decimal arithmetic: a root, a division and a power whose digits are known, and a product of 20,000 digits, which is computed by
 * number theoretic transforms and held against the sum that it must be. */
#include <stdio.h>
#include <string.h>

#include <mpdecimal.h>

int main(void)
{
    mpd_context_t ctx;
    mpd_t *a, *b, *c;
    char *text;

    mpd_init(&ctx, 50);
    ctx.traps = 0;
    a = mpd_new(&ctx), b = mpd_new(&ctx), c = mpd_new(&ctx);
    mpd_set_string(a, "2", &ctx);
    mpd_sqrt(b, a, &ctx);
    text = mpd_to_sci(b, 1);
    printf("sqrt %s\n", text);
    mpd_free(text);
    mpd_set_string(a, "1", &ctx);
    mpd_set_string(b, "998001", &ctx);
    mpd_div(c, a, b, &ctx);
    text = mpd_to_sci(c, 1);
    printf("quotient %s\n", text);
    mpd_free(text);
    /* (10^10000 - 1)^2 = 10^20000 - 2 * 10^10000 + 1 */
    mpd_maxcontext(&ctx);
    ctx.traps = 0;
    mpd_set_string(a, "1E10000", &ctx);
    mpd_set_string(b, "1", &ctx);
    mpd_sub(a, a, b, &ctx);
    mpd_mul(c, a, a, &ctx);
    mpd_add(c, c, a, &ctx);
    mpd_add(c, c, a, &ctx);
    mpd_add(c, c, b, &ctx);
    mpd_set_string(b, "1E20000", &ctx);
    printf("product %s, version %s\n", mpd_cmp(c, b, &ctx) == 0 ? "right" : "WRONG", mpd_version());
    mpd_del(a), mpd_del(b), mpd_del(c);
    return strcmp(mpd_version(), MPD_VERSION) != 0;
}
