// Streams: formatting flags, parsing and its failures, string and file streams, binary data, exceptions, rdbuf redirection, standard input.
#include "check.h"
#include <fstream>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

int main() {
    std::cout << std::hex << std::showbase << 255 << ' ' << std::oct << 8 << ' ' << std::dec << std::setw(6) << std::setfill('*') << 42 << ' '
              << std::left << std::setw(5) << -1 << std::right << ' ' << std::showpos << 7 << std::noshowpos << '\n';
    std::cout << std::setprecision(3) << 3.14159 << ' ' << std::fixed << 2.0 << ' ' << std::scientific << 12345.678 << ' ' << std::hexfloat << 1.5
              << std::defaultfloat << ' ' << std::boolalpha << true << ' ' << std::quoted("a\"b") << '\n';
    std::istringstream input("12 0x1f 3.5 word bad");
    int number, other;
    double real;
    std::string word;
    input >> number >> std::hex >> other >> real >> word;
    std::cout << number << ' ' << other << ' ' << real << ' ' << word << ' ' << !(input >> number) << input.fail() << input.eof() << '\n';
    {
        std::ofstream file("iostreams.tmp", std::ios::binary);
        for (int index = 0; index < 1000; ++index) file.write(reinterpret_cast<const char *>(&index), sizeof index);
        file.seekp(40);
        const int patched = -5;
        file.write(reinterpret_cast<const char *>(&patched), sizeof patched);
    }
    std::ifstream file("iostreams.tmp", std::ios::binary);
    std::vector<int> values(1000);
    file.read(reinterpret_cast<char *>(values.data()), 4000);
    long long sum = 0;
    for (int value : values) sum += value;
    file.peek();
    std::cout << "sum " << sum << " count " << values.size() << " eof " << file.eof() << '\n';
    file.close();
    {
        std::ofstream text("iostreams.tmp");
        text << "first\nsecond\n";
    }
    std::ifstream raw("iostreams.tmp", std::ios::binary | std::ios::ate);
    std::cout << "bytes " << raw.tellg() << '\n';
    raw.close();
    std::remove("iostreams.tmp");
    std::ifstream missing;
    missing.exceptions(std::ios::failbit);
    try {
        missing.open("no-such-file");
    } catch (const std::ios_base::failure &) {
        std::cout << "failure\n";
    }
    std::ostringstream captured;
    auto *kept = std::cout.rdbuf(captured.rdbuf());
    std::cout << "captured";
    std::cout.rdbuf(kept);
    std::cout << captured.str().size() << ' ' << std::wstring(L"w").size() << '\n';
    std::string line;
    std::cout << "input " << static_cast<bool>(std::getline(std::cin, line)) << '\n';
    std::cerr << "to the error stream\n";
    std::clog << "to the log\n";
    std::cout << "end" << std::endl;
}
