/* What libcrypto and libssl compute: published vectors of a hash, a cipher, an old hash of the provider that is built in, and a
 * handshake of TLS 1.3 with a certificate that is made here, both sides in memory. */
#include <stdio.h>
#include <string.h>

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

static void hex(const char *what, const unsigned char *bytes, size_t size)
{
    printf("%s ", what);
    for (size_t i = 0; i < size; i++)
        printf("%02x", bytes[i]);
    puts("");
}

static int hashes(void)
{
    static const char *names[] = { "SHA256", "SHA3-256", "SHA512", "MD4" };
    unsigned char out[EVP_MAX_MD_SIZE];
    unsigned size;

    for (int i = 0; i < 4; i++) {
        EVP_MD *md = EVP_MD_fetch(NULL, names[i], NULL);
        if (!md || !EVP_Digest("abc", 3, out, &size, md, NULL))
            return printf("%s FAILED\n", names[i]), 0;
        hex(names[i], out, size < 16 ? size : 16);
        EVP_MD_free(md);
    }
    return 1;
}

/* Test case 16 of the description of GCM; the vector paths begin behind some blocks, so a long text follows. */
static int cipher(const char *name, const unsigned char *key, const unsigned char *iv)
{
    static unsigned char plain[4096], packed[4096], again[4096], tag[16];
    int size, more, good = 1;
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, NULL);
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();

    good &= EVP_EncryptInit_ex2(ctx, cipher, key, iv, NULL) && EVP_EncryptUpdate(ctx, packed, &size, plain, sizeof plain) &&
            EVP_EncryptFinal_ex(ctx, packed + size, &more) && EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, tag);
    good &= EVP_DecryptInit_ex2(ctx, cipher, key, iv, NULL) && EVP_DecryptUpdate(ctx, again, &size, packed, sizeof packed) &&
            EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, tag) && EVP_DecryptFinal_ex(ctx, again + size, &more) &&
            memcmp(plain, again, sizeof plain) == 0;
    printf("%s %s ", name, good ? "round trip" : "FAILED");
    hex("begins", packed, 16);
    hex("tag", tag, 16);
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(cipher);
    return good;
}

static X509 *certificate(EVP_PKEY *key)
{
    X509 *x = X509_new();
    X509_NAME *name = X509_get_subject_name(x);

    X509_set_version(x, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(x), 1);
    X509_gmtime_adj(X509_getm_notBefore(x), -3600);
    X509_gmtime_adj(X509_getm_notAfter(x), 3600);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"windlass", -1, -1, 0);
    X509_set_issuer_name(x, name);
    X509_set_pubkey(x, key);
    return X509_sign(x, key, EVP_sha256()) ? x : NULL;
}

static int handshake(const char *group, const char *kind)
{
    EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "EC", kind);
    X509 *own = certificate(key);
    SSL_CTX *server_ctx = SSL_CTX_new(TLS_server_method()), *client_ctx = SSL_CTX_new(TLS_client_method());
    SSL *server, *client;
    BIO *one, *other;
    char text[32] = "";
    int good;

    SSL_CTX_use_certificate(server_ctx, own);
    SSL_CTX_use_PrivateKey(server_ctx, key);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(client_ctx), own);
    SSL_CTX_set_verify(client_ctx, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set1_groups_list(client_ctx, group);
    server = SSL_new(server_ctx), client = SSL_new(client_ctx);
    BIO_new_bio_pair(&one, 0, &other, 0);
    SSL_set_bio(server, one, one), SSL_set_bio(client, other, other);
    SSL_set_accept_state(server), SSL_set_connect_state(client);
    SSL_set1_host(client, "windlass");
    for (int i = 0; i < 20 && !(SSL_is_init_finished(server) && SSL_is_init_finished(client)); i++)
        SSL_do_handshake(client), SSL_do_handshake(server);
    good = SSL_write(client, "heave away", 10) == 10 && SSL_read(server, text, sizeof text) == 10 &&
           SSL_get_verify_result(client) == X509_V_OK;
    printf("%s %s %s: %s\n", SSL_get_version(client), SSL_get_cipher(client), SSL_get0_group_name(client), good ? text : "FAILED");
    SSL_free(server), SSL_free(client);
    SSL_CTX_free(server_ctx), SSL_CTX_free(client_ctx);
    X509_free(own), EVP_PKEY_free(key);
    return good;
}

int main(void)
{
    static const unsigned char key[32], iv[12];
    int good = OSSL_PROVIDER_load(NULL, "default") && OSSL_PROVIDER_load(NULL, "legacy");

    if (!good)
        puts("providers FAILED");
    good = good && hashes() && cipher("AES-256-GCM", key, iv) && cipher("ChaCha20-Poly1305", key, iv) &&
           handshake("X25519", "P-256") && handshake("X25519MLKEM768", "P-384");
    if (!good)
        ERR_print_errors_fp(stdout);
    printf("%s, %s\n", OpenSSL_version(OPENSSL_DIR), OpenSSL_version(OPENSSL_MODULES_DIR));
    /* Which of the assembly is in use: this line differs from one processor to the next. */
    printf("processor %s\n", OpenSSL_version(OPENSSL_CPU_INFO));
    return !good;
}
