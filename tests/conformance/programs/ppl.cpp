// The Parallel Patterns Library on the thread pool: every index once, all of them on several threads, exceptions, nesting, schedulers.
#include <ppl.h>

#include <array>
#include <list>
#include <set>
#include <string>

#include "check.h"

using namespace Concurrency;

// Meets as many threads as are wanted inside one loop: it cannot end if they do not run at the same time.
static bool meet(long wanted) {
    std::atomic<long> inside{0};
    std::atomic<bool> met{false};
    parallel_for(0L, wanted, [&](long) {
        ++inside;
        ULONGLONG end = GetTickCount64() + 60000;
        while (!met && inside < wanted && GetTickCount64() < end)
            SwitchToThread();
        met = met || inside >= wanted;
    });
    return met;
}

static void loops() {
    std::vector<int> seen(100000);
    parallel_for(0, 100000, [&](int index) { ++seen[index]; });
    int once = 0;
    for (int times : seen)
        once += times == 1;
    std::atomic<long long> sum{0};
    parallel_for(size_t{7}, size_t{100}, size_t{3}, [&](size_t index) { sum += (long long)index; });
    parallel_for(-5, 6, [&](int index) { sum += index * index; }, static_partitioner());
    parallel_for(short(0), short(1000), [&](short index) { sum += index; }, simple_partitioner(64));
    parallel_for(5, 5, [&](int) { sum += 1000000; });
    parallel_for(9, 5, [&](int) { sum += 1000000; });
    printf("once %d sum %lld\n", once, sum.load());
    std::atomic<int> wide{0};
    parallel_for(INT_MIN, INT_MAX, INT_MAX, [&](int index) { wide += index == INT_MIN || index == -1 || index == INT_MAX - 1; });
    std::list<std::string> words{"a", "bc", "def"};
    std::atomic<size_t> letters{0};
    parallel_for_each(words.begin(), words.end(), [&](std::string &word) { letters += (word += "!").size(); });
    std::array<int, 500> squares;
    parallel_for(0, 500, [&](int index) { squares[index] = index * index; });
    std::atomic<long> total{0};
    parallel_for_each(squares.begin(), squares.end(), [&](int square) { total += square; });
    printf("wide %d letters %zu last %s squares %ld\n", wide.load(), letters.load(), words.back().c_str(), total.load());
}

static void nested() {
    std::atomic<int> count{0};
    parallel_for(0, 20, [&](int) { parallel_for(0, 20, [&](int) { parallel_invoke([&] { ++count; }, [&] { ++count; }, [&] { ++count; }); }); });
    printf("nested %d\n", count.load());
}

static void exceptions() {
    std::atomic<int> ran{0};
    try {
        parallel_for(0, 1000000, [&](int index) {
            ++ran;
            if (index == 10)
                throw std::string("ten");
        });
    } catch (const std::string &text) {
        printf("caught %s early %d", text.c_str(), ran < 1000000);
    }
    try {
        parallel_for(0, 10, 0, [](int) {});
    } catch (const std::invalid_argument &error) {
        printf(" %s\n", error.what());
    }
}

static void groups() {
    task_group group;
    std::atomic<int> done{0};
    for (int task = 0; task < 100; ++task)
        group.run([&, task] {
            if (task % 10 == 0)
                group.run([&] { ++done; });
            ++done;
        });
    task_group_status status = group.run_and_wait([&] { ++done; });
    printf("tasks %d status %d", done.load(), status);
    group.run([] { throw 5; });
    try {
        group.wait();
    } catch (int number) {
        printf(" threw %d", number);
    }
    group.cancel();
    group.run([&] { done = 0; });
    bool canceling = group.is_canceling();
    status = group.wait();
    printf(" canceled %d %d kept %d", canceling, status == canceled, done.load());
    try {
        task_group forgotten;
        forgotten.run([] {});
    } catch (const missing_wait &) {
        printf(" missing wait\n");
    }
    combinable<long> parts([] { return 0L; });
    parallel_for(1L, 10001L, [&](long number) { parts.local() += number; });
    critical_section section;
    long shared = 0, tries = 0;
    parallel_for(0, 10000, [&](int) {
        critical_section::scoped_lock held(section);
        ++shared;
    });
    {
        critical_section::scoped_lock held(section);
        try {
            section.lock();
        } catch (const improper_lock &) {
            ++tries;
        }
    }
    printf("parts %ld shared %ld tries %ld free %d\n", parts.combine([](long a, long b) { return a + b; }), shared, tries, section.try_lock());
}

static void schedulers() {
    CHECK(CurrentScheduler::Get()->GetNumberOfVirtualProcessors() == GetActiveProcessorCount(ALL_PROCESSOR_GROUPS));
    unsigned standard = CurrentScheduler::Id();
    Scheduler *scheduler = Scheduler::Create(SchedulerPolicy(2, MinConcurrency, 3, MaxConcurrency, 3));
    HANDLE gone = CreateEventW(NULL, TRUE, FALSE, NULL);
    CHECK(gone && scheduler->Id() != standard);
    scheduler->RegisterShutdownEvent(gone);
    scheduler->Attach();
    CHECK(CurrentScheduler::Id() == scheduler->Id() && Context::VirtualProcessorId() == 0xFFFFFFFF);
    printf("processors %u least %u met %d\n", CurrentScheduler::GetNumberOfVirtualProcessors(),
           CurrentScheduler::GetPolicy().GetPolicyValue(MinConcurrency), meet(4));
    std::mutex mutex;
    std::set<unsigned> ids;
    std::atomic<bool> foreign{false};
    parallel_for(0, 1000, [&](int) {
        std::lock_guard<std::mutex> held(mutex);
        ids.insert(Context::VirtualProcessorId() + 1);
        foreign = foreign || CurrentScheduler::Id() != scheduler->Id();
    });
    // 0 stands for this thread, the others are 1 to 3.
    printf("ids in range %d foreign %d\n", *ids.rbegin() <= 3, foreign.load());
    CurrentScheduler::Detach();
    CHECK(CurrentScheduler::Id() == standard && WaitForSingleObject(gone, 0) == WAIT_TIMEOUT);
    unsigned left = scheduler->Release();
    printf("left %u gone %d", left, WaitForSingleObject(gone, 0) == WAIT_OBJECT_0);
    try {
        CurrentScheduler::Detach();
    } catch (const scheduler_not_attached &) {
        printf(" not attached");
    }
    try {
        SchedulerPolicy(2, MinConcurrency, 4, MaxConcurrency, 2);
    } catch (const invalid_scheduler_policy_thread_specification &) {
        printf(" no such policy\n");
    }
}

int main() {
    loops();
    nested();
    exceptions();
    groups();
    schedulers();
    for (int round = 0; round < 2000; ++round) {
        std::atomic<int> sum{0};
        parallel_for(0, 16, [&](int index) { sum += index; });
        CHECK(sum == 120);
    }
    printf("rounds 2000\n");
}
