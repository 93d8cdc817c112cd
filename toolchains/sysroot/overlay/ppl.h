/* Absent in Wine: the Parallel Patterns Library, on the schedulers of concrt.h. Here are the loops, parallel_invoke, task groups and combinable;
 * parallel sorting, the concurrent containers and tasks with continuations (ppltasks.h) are not. */
#pragma once
#include <concrt.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace Concurrency {

/* How a loop is cut into pieces: into more than there are threads, which take them in turn; */
class auto_partitioner {
public:
    size_t sysroot_piece(size_t count, size_t threads) const { return (std::max<size_t>)(1, count / (threads * 8)); }
};
class affinity_partitioner : public auto_partitioner {};
/* into one for each thread; */
class static_partitioner {
public:
    size_t sysroot_piece(size_t count, size_t threads) const { return (count + threads - 1) / threads; }
};
/* or into pieces of a given size. */
class simple_partitioner {
    size_t size_;

public:
    explicit simple_partitioner(size_t size) : size_(size)
    {
        if (size == 0)
            throw std::invalid_argument("_Chunk_size");
    }
    size_t sysroot_piece(size_t, size_t) const { return size_; }
};

/* The numbers from 0 to a count, handed out in pieces until all are gone or a call of the function throws. */
template <class Function> class sysroot_loop {
    const Function &function_;
    const size_t count_;
    size_t piece_ = 1;
    std::atomic<size_t> next_{0};
    std::atomic<bool> stopped_{false};
    std::exception_ptr thrown_;

    static void work(void *self) { static_cast<sysroot_loop *>(self)->work(); }
    void work() noexcept
    {
        try {
            while (!stopped_.load(std::memory_order_relaxed)) {
                size_t first = next_.load(std::memory_order_relaxed);
                /* Not added blindly: the sum must not run over the largest number. */
                do
                    if (first >= count_)
                        return;
                while (!next_.compare_exchange_weak(first, first + (std::min)(piece_, count_ - first)));
                size_t last = first + (std::min)(piece_, count_ - first);
                for (size_t index = first; index < last && !stopped_.load(std::memory_order_relaxed); ++index)
                    function_(index);
            }
        } catch (...) {
            if (!stopped_.exchange(true))
                thrown_ = std::current_exception();
        }
    }

public:
    sysroot_loop(size_t count, const Function &function) : function_(function), count_(count) {}
    template <class Partitioner> void run(const Partitioner &partitioner)
    {
        {
            sysroot_helpers helpers(work, this);
            piece_ = partitioner.sysroot_piece(count_, size_t{helpers.most()} + 1);
            size_t pieces = count_ / piece_ + (count_ % piece_ != 0);
            helpers.call((std::min)(pieces - 1, size_t{helpers.most()}));
            work();
        }
        if (thrown_)
            std::rethrow_exception(thrown_);
    }
};

template <class Function, class Partitioner>
void sysroot_for_count(size_t count, const Function &function, const Partitioner &partitioner)
{
    if (count != 0)
        sysroot_loop<Function>(count, function).run(partitioner);
}

template <class Index, class Function, class Partitioner>
void parallel_for(Index first, Index last, Index step, const Function &function, const Partitioner &partitioner)
{
    static_assert(std::is_integral<Index>::value, "the index of parallel_for is a whole number");
    if (step < Index(1))
        throw std::invalid_argument("_Step");
    if (!(first < last))
        return;
    /* Modulo 2^64, so that a range of more than half of the index's numbers does not overflow. */
    size_t start = static_cast<size_t>(first), stride = static_cast<size_t>(step);
    size_t count = (static_cast<size_t>(last) - start - 1) / stride + 1;
    sysroot_for_count(count, [&](size_t index) { function(static_cast<Index>(start + index * stride)); }, partitioner);
}
template <class Index, class Function> void parallel_for(Index first, Index last, Index step, const Function &function)
{
    parallel_for(first, last, step, function, auto_partitioner());
}
template <class Index, class Function> void parallel_for(Index first, Index last, const Function &function)
{
    parallel_for(first, last, Index(1), function, auto_partitioner());
}
template <class Index, class Function> void parallel_for(Index first, Index last, const Function &function, const auto_partitioner &how)
{
    parallel_for(first, last, Index(1), function, how);
}
template <class Index, class Function> void parallel_for(Index first, Index last, const Function &function, const static_partitioner &how)
{
    parallel_for(first, last, Index(1), function, how);
}
template <class Index, class Function> void parallel_for(Index first, Index last, const Function &function, const simple_partitioner &how)
{
    parallel_for(first, last, Index(1), function, how);
}
template <class Index, class Function> void parallel_for(Index first, Index last, const Function &function, affinity_partitioner &how)
{
    parallel_for(first, last, Index(1), function, how);
}

template <class Iterator, class Function, class Partitioner>
void sysroot_for_each(Iterator first, Iterator last, const Function &function, const Partitioner &how, std::random_access_iterator_tag)
{
    typedef typename std::iterator_traits<Iterator>::difference_type Difference;
    size_t count = first < last ? static_cast<size_t>(last - first) : 0;
    sysroot_for_count(count, [&](size_t index) { function(first[static_cast<Difference>(index)]); }, how);
}
template <class Iterator, class Function, class Partitioner>
void sysroot_for_each(Iterator first, Iterator last, const Function &function, const Partitioner &how, std::forward_iterator_tag)
{
    std::vector<Iterator> places;
    for (; first != last; ++first)
        places.push_back(first);
    sysroot_for_count(places.size(), [&](size_t index) { function(*places[index]); }, how);
}
template <class Iterator, class Function, class Partitioner>
void parallel_for_each(Iterator first, Iterator last, const Function &function, Partitioner &&how)
{
    sysroot_for_each(first, last, function, how, typename std::iterator_traits<Iterator>::iterator_category());
}
template <class Iterator, class Function> void parallel_for_each(Iterator first, Iterator last, const Function &function)
{
    parallel_for_each(first, last, function, auto_partitioner());
}

enum task_group_status { not_complete, completed, canceled };

/* Functions that run at the same time; whoever waits for them runs those that no thread has begun. */
class task_group {
    std::mutex mutex_;
    std::deque<std::function<void()>> waiting_;
    bool canceled_ = false, waited_ = true;
    std::exception_ptr thrown_;
    /* Last, so that it is destroyed first: its threads use the rest. */
    sysroot_helpers helpers_;

    static void work(void *self) { static_cast<task_group *>(self)->run_one(); }
    bool run_one() noexcept
    {
        std::function<void()> task;
        {
            std::lock_guard<std::mutex> held(mutex_);
            if (waiting_.empty())
                return false;
            task = std::move(waiting_.front());
            waiting_.pop_front();
        }
        try {
            task();
        } catch (...) {
            std::lock_guard<std::mutex> held(mutex_);
            if (!thrown_)
                thrown_ = std::current_exception();
            canceled_ = true;
            waiting_.clear();
        }
        return true;
    }
    bool empty()
    {
        std::lock_guard<std::mutex> held(mutex_);
        return waiting_.empty();
    }
    void finish()
    {
        /* A task may add others while it is waited for. */
        do {
            while (run_one())
                ;
            helpers_.settle();
        } while (!empty());
    }

public:
    task_group() : helpers_(work, this) {}
    ~task_group() noexcept(false)
    {
        if (waited_)
            return;
        bool unwinding = std::uncaught_exceptions() != 0;
        cancel();
        finish();
        if (!unwinding)
            throw missing_wait();
    }
    task_group(const task_group &) = delete;
    task_group &operator=(const task_group &) = delete;

    template <class Function> void run(const Function &function)
    {
        {
            std::lock_guard<std::mutex> held(mutex_);
            waited_ = false;
            if (canceled_)
                return;
            waiting_.emplace_back(function);
        }
        helpers_.call(1);
    }
    task_group_status wait()
    {
        finish();
        std::exception_ptr thrown;
        std::lock_guard<std::mutex> held(mutex_);
        std::swap(thrown, thrown_);
        bool was = std::exchange(canceled_, false);
        waited_ = true;
        if (thrown)
            std::rethrow_exception(thrown);
        return was ? canceled : completed;
    }
    template <class Function> task_group_status run_and_wait(const Function &function)
    {
        {
            std::lock_guard<std::mutex> held(mutex_);
            waited_ = false;
            if (!canceled_)
                waiting_.emplace_front(function);
        }
        return wait();
    }
    void cancel()
    {
        std::lock_guard<std::mutex> held(mutex_);
        canceled_ = true;
        waited_ = false;
        waiting_.clear();
    }
    bool is_canceling()
    {
        std::lock_guard<std::mutex> held(mutex_);
        return canceled_;
    }
};

template <class... Functions> void parallel_invoke(const Functions &...functions)
{
    static_assert(sizeof...(functions) >= 2, "parallel_invoke wants two functions or more");
    task_group group;
    (group.run(std::cref(functions)), ...);
    group.wait();
}

/* One value for each thread that asks for it, put together in the end. */
template <class T> class combinable {
    struct Entry {
        DWORD thread;
        std::unique_ptr<T> value;
    };
    std::mutex mutex_;
    std::vector<Entry> entries_;
    std::function<T()> initial_;

public:
    combinable() : initial_([] { return T(); }) {}
    template <class Function> explicit combinable(Function initial) : initial_(initial) {}
    combinable(const combinable &) = delete;
    combinable &operator=(const combinable &) = delete;

    T &local(bool &existed)
    {
        DWORD own = GetCurrentThreadId();
        std::lock_guard<std::mutex> held(mutex_);
        for (Entry &entry : entries_)
            if (entry.thread == own) {
                existed = true;
                return *entry.value;
            }
        existed = false;
        entries_.push_back(Entry{own, std::unique_ptr<T>(new T(initial_()))});
        return *entries_.back().value;
    }
    T &local()
    {
        bool existed;
        return local(existed);
    }
    void clear()
    {
        std::lock_guard<std::mutex> held(mutex_);
        entries_.clear();
    }
    template <class Function> T combine(Function both) const
    {
        if (entries_.empty())
            return initial_();
        T result = *entries_.front().value;
        for (size_t index = 1; index < entries_.size(); ++index)
            result = both(result, *entries_[index].value);
        return result;
    }
    template <class Function> void combine_each(Function each) const
    {
        for (const Entry &entry : entries_)
            each(*entry.value);
    }
};

} // namespace Concurrency
