#include "words.hpp"
#include <sstream>

namespace words {

NoWords::NoWords(std::size_t length) : std::runtime_error("no words in the text"), length(length) {}
NoWords::~NoWords() = default;

std::vector<std::string> split(const std::string &text)
{
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;)
        words.push_back(word);
    if (words.empty())
        throw NoWords(text.size());
    return words;
}

} // namespace words
