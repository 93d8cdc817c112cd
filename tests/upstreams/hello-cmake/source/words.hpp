// Words of a text; a text without any is an error that the caller catches on its side of the library.
#pragma once
#include <stdexcept>
#include <string>
#include <vector>

#if defined(_WIN32) && defined(WORDS_BUILD)
#define WORDS_API __declspec(dllexport)
#elif defined(_WIN32)
#define WORDS_API __declspec(dllimport)
#else
#define WORDS_API __attribute__((visibility("default")))
#endif

namespace words {

class WORDS_API NoWords : public std::runtime_error {
public:
    explicit NoWords(std::size_t length);
    ~NoWords() override;
    std::size_t length;
};

WORDS_API std::vector<std::string> split(const std::string &text);

} // namespace words
