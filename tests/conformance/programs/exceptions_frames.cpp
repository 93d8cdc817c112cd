// Exceptions through 500 frames with objects, out of constructors, destructors of what was built, arrays, and function try blocks.
#include "check.h"
#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

static int alive, made;
struct Counted {
    explicit Counted(int limit = 1 << 30) {
        if (made >= limit) throw std::length_error("limit");
        ++made;
        ++alive;
    }
    Counted(const Counted &) : Counted() {}
    ~Counted() { --alive; }
};
static int descend(int depth) {
    Counted guard;
    std::string text(100, (char)('a' + depth % 26));
    if (depth == 0) throw std::out_of_range(text);
    return descend(depth - 1) + (int)text.size();
}
struct Member : Counted {
    Counted first;
    std::unique_ptr<Counted> second = std::make_unique<Counted>();
    Counted third;
    explicit Member(bool fail) try : third(fail ? 0 : 1 << 30) {
    } catch (const std::length_error &error) {
        printf("function try block %s alive %d\n", error.what(), alive);
        throw std::domain_error("translated");
    }
};
struct Limited : Counted {
    Limited() : Counted(made_limit) {}
    static int made_limit;
};
int Limited::made_limit;

int main() {
    try {
        descend(500);
    } catch (const std::logic_error &error) {
        printf("frames %s alive %d made %d\n", std::string(error.what()).substr(0, 3).c_str(), alive, made);
    }
    try {
        Member member(true);
    } catch (const std::domain_error &error) {
        printf("%s alive %d\n", error.what(), alive);
    }
    Limited::made_limit = made + 7;
    try {
        delete[] new Limited[20];
    } catch (const std::length_error &) {
        printf("array alive %d\n", alive);
    }
    Limited::made_limit = made + 3;
    try {
        std::vector<Limited> many(10);
    } catch (const std::length_error &) {
        printf("vector alive %d\n", alive);
    }
    int rounds = 0;
    for (int index = 0; index < 2000; ++index) {
        try {
            if (index % 3 == 0) throw index;
            if (index % 3 == 1) throw (double)index;
            throw std::array<int, 50>{{index}};
        } catch (int value) {
            rounds += value % 3 == 0;
        } catch (double) {
            rounds += 1;
        } catch (const std::array<int, 50> &value) {
            rounds += value[0] == index;
        }
    }
    printf("rounds %d alive %d\n", rounds, alive);
}
