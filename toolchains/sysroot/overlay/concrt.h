/* Absent in Wine: the schedulers of the Concurrency Runtime, over thread pools of Windows. Microsoft's are in a DLL that all images of a
 * process share; these belong to the image that is compiled, and so does "the current scheduler". A scheduler's address may be handed to
 * another image.
 *
 * A scheduler is a pool of as many threads as it has virtual processors. The thread that starts parallel work takes part in it. */
#pragma once

#ifndef __cplusplus
#error "concrt.h is for C++ only"
#endif

/* Its macros `min` and `max` would break what includes this header and the C++ library. */
#pragma push_macro("NOMINMAX")
#undef NOMINMAX
#define NOMINMAX
#include <windows.h>
#pragma pop_macro("NOMINMAX")

#include <atomic>
#include <cstdarg>
#include <exception>
#include <mutex>
#include <new>
#include <vector>

namespace Concurrency {

class runtime_error_base : public std::exception {
    const char *text_;

public:
    explicit runtime_error_base(const char *text) noexcept : text_(text) {}
    const char *what() const noexcept override { return text_; }
};

#define SYSROOT_CONCRT_ERROR(name)                                                                                        \
    class name : public runtime_error_base {                                                                            \
    public:                                                                                                             \
        name() noexcept : runtime_error_base(#name) {}                                                                  \
        explicit name(const char *text) noexcept : runtime_error_base(text) {}                                          \
    }
SYSROOT_CONCRT_ERROR(improper_lock);
SYSROOT_CONCRT_ERROR(improper_scheduler_attach);
SYSROOT_CONCRT_ERROR(improper_scheduler_detach);
SYSROOT_CONCRT_ERROR(improper_scheduler_reference);
SYSROOT_CONCRT_ERROR(invalid_scheduler_policy_key);
SYSROOT_CONCRT_ERROR(invalid_scheduler_policy_thread_specification);
SYSROOT_CONCRT_ERROR(invalid_scheduler_policy_value);
SYSROOT_CONCRT_ERROR(missing_wait);
SYSROOT_CONCRT_ERROR(scheduler_not_attached);
SYSROOT_CONCRT_ERROR(scheduler_resource_allocation_error);
#undef SYSROOT_CONCRT_ERROR

const unsigned int MaxExecutionResources = 0xFFFFFFFF;

enum SchedulerType { ThreadScheduler, UmsThreadDefault = ThreadScheduler };

enum PolicyElementKey {
    SchedulerKind,
    MaxConcurrency,
    MinConcurrency,
    TargetOversubscriptionFactor,
    LocalContextCacheSize,
    ContextStackSize,
    ContextPriority,
    SchedulingProtocol,
    DynamicProgressFeedback,
    WinRTInitialization,
    MaxPolicyElementKey
};

/* What a scheduler is asked to be. The limits of concurrency are followed; the other elements are kept and have no effect. */
class SchedulerPolicy {
    unsigned int values_[MaxPolicyElementKey];

    static void known(int key)
    {
        if (key < 0 || key >= MaxPolicyElementKey)
            throw invalid_scheduler_policy_key();
    }
    void check() const
    {
        if (values_[MaxConcurrency] == 0)
            throw invalid_scheduler_policy_value();
        if (values_[MinConcurrency] != MaxExecutionResources && values_[MinConcurrency] > values_[MaxConcurrency])
            throw invalid_scheduler_policy_thread_specification();
    }

public:
    SchedulerPolicy() noexcept : values_{ThreadScheduler, MaxExecutionResources, 1, 1, 8, 0, 0, 0, 1, 0} {}
    SchedulerPolicy(size_t count, ...) : SchedulerPolicy()
    {
        va_list pairs;
        va_start(pairs, count);
        for (size_t index = 0; index < count; ++index) {
            int key = va_arg(pairs, int);
            unsigned int value = va_arg(pairs, unsigned int);
            known(key);
            values_[key] = value;
        }
        va_end(pairs);
        check();
    }
    unsigned int GetPolicyValue(PolicyElementKey key) const
    {
        known(key);
        return values_[key];
    }
    unsigned int SetPolicyValue(PolicyElementKey key, unsigned int value)
    {
        known(key);
        /* The limits depend on each other and are set together. */
        if (key == MinConcurrency || key == MaxConcurrency)
            throw invalid_scheduler_policy_key();
        unsigned int before = values_[key];
        values_[key] = value;
        return before;
    }
    void SetConcurrencyLimits(unsigned int least, unsigned int most = MaxExecutionResources)
    {
        SchedulerPolicy wanted = *this;
        wanted.values_[MinConcurrency] = least;
        wanted.values_[MaxConcurrency] = most;
        wanted.check();
        *this = wanted;
    }
};

typedef void(__cdecl *TaskProc)(void *);

class Scheduler {
    SchedulerPolicy policy_;
    unsigned int id_, processors_, helpers_;
    std::atomic<unsigned int> references_{1};
    PTP_POOL pool_ = nullptr;
    TP_CALLBACK_ENVIRON environment_;
    std::mutex mutex_;
    std::vector<bool> busy_;
    std::vector<HANDLE> events_;

    static unsigned int count_processors()
    {
        DWORD count = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
        return count ? count : 1;
    }
    static unsigned int next_id()
    {
        static std::atomic<unsigned int> last{0};
        return last++;
    }
    static unsigned int between(const SchedulerPolicy &policy)
    {
        unsigned int count = count_processors(), least = policy.GetPolicyValue(MinConcurrency);
        unsigned int most = policy.GetPolicyValue(MaxConcurrency);
        if (least != MaxExecutionResources && count < least)
            count = least;
        return count < most ? count : most;
    }
    void open_pool()
    {
        InitializeThreadpoolEnvironment(&environment_);
        if (helpers_ == 0)
            return;
        pool_ = CreateThreadpool(nullptr);
        if (!pool_)
            throw scheduler_resource_allocation_error();
        SetThreadpoolThreadMaximum(pool_, helpers_);
        SetThreadpoolCallbackPool(&environment_, pool_);
    }
    /* The thread that starts work is one of the default scheduler's processors, and comes on top of those of any other. */
    Scheduler(const SchedulerPolicy &policy, bool ours)
        : policy_(policy), id_(next_id()), processors_(between(policy)), helpers_(ours ? processors_ - 1 : processors_), busy_(helpers_)
    {
        open_pool();
    }
    ~Scheduler()
    {
        for (HANDLE event : events_) {
            SetEvent(event);
            CloseHandle(event);
        }
        if (pool_)
            CloseThreadpool(pool_);
        DestroyThreadpoolEnvironment(&environment_);
    }
    Scheduler(const Scheduler &) = delete;
    Scheduler &operator=(const Scheduler &) = delete;

    unsigned int enter_processor()
    {
        std::lock_guard<std::mutex> held(mutex_);
        unsigned int index = 0;
        while (index < busy_.size() && busy_[index])
            ++index;
        if (index == busy_.size())
            busy_.push_back(false);
        busy_[index] = true;
        return index;
    }
    void leave_processor(unsigned int index)
    {
        std::lock_guard<std::mutex> held(mutex_);
        busy_[index] = false;
    }

    struct Thread {
        std::vector<Scheduler *> attached;
        Scheduler *implicit = nullptr;
        unsigned int processor = 0xFFFFFFFF;
        ~Thread()
        {
            for (Scheduler *scheduler : attached)
                scheduler->Release();
        }
        Scheduler *current() const { return attached.empty() ? implicit : attached.back(); }
    };
    static Thread &thread()
    {
        static thread_local Thread own;
        return own;
    }
    static Scheduler *standard()
    {
        /* Never deleted: threads may use it until the process ends. */
        static Scheduler *const only = new Scheduler(SchedulerPolicy(), true);
        return only;
    }
    friend class CurrentScheduler;
    friend class Context;
    friend class sysroot_helpers;

public:
    static Scheduler *__cdecl Create(const SchedulerPolicy &policy) { return new Scheduler(policy, false); }
    unsigned int Id() const { return id_; }
    unsigned int GetNumberOfVirtualProcessors() const { return processors_; }
    SchedulerPolicy GetPolicy() const { return policy_; }
    unsigned int Reference() { return ++references_; }
    unsigned int Release()
    {
        unsigned int left = --references_;
        if (left == 0)
            delete this;
        return left;
    }
    /* The event is set when the scheduler goes; the scheduler keeps a handle of its own. */
    void RegisterShutdownEvent(HANDLE event)
    {
        HANDLE own = nullptr, process = GetCurrentProcess();
        if (!DuplicateHandle(process, event, process, &own, 0, FALSE, DUPLICATE_SAME_ACCESS))
            throw scheduler_resource_allocation_error();
        std::lock_guard<std::mutex> held(mutex_);
        events_.push_back(own);
    }
    void Attach()
    {
        Thread &own = thread();
        if (own.current() == this && !own.attached.empty())
            throw improper_scheduler_attach();
        own.attached.push_back(this);
        Reference();
    }
};

class CurrentScheduler {
public:
    static unsigned int __cdecl Id()
    {
        Scheduler *current = Scheduler::thread().current();
        return current ? current->Id() : 0xFFFFFFFF;
    }
    static unsigned int __cdecl GetNumberOfVirtualProcessors()
    {
        Scheduler *current = Scheduler::thread().current();
        return current ? current->GetNumberOfVirtualProcessors() : 0xFFFFFFFF;
    }
    /* Never null: a thread without a scheduler gets the default one. */
    static Scheduler *__cdecl Get()
    {
        Scheduler::Thread &own = Scheduler::thread();
        if (!own.current())
            own.implicit = Scheduler::standard();
        return own.current();
    }
    static SchedulerPolicy __cdecl GetPolicy() { return Get()->GetPolicy(); }
    static void __cdecl Create(const SchedulerPolicy &policy)
    {
        Scheduler *made = Scheduler::Create(policy);
        made->Attach();
        made->Release();
    }
    static void __cdecl RegisterShutdownEvent(HANDLE event)
    {
        Scheduler *current = Scheduler::thread().current();
        if (!current)
            throw scheduler_not_attached();
        current->RegisterShutdownEvent(event);
    }
    static void __cdecl Detach()
    {
        Scheduler::Thread &own = Scheduler::thread();
        if (own.attached.empty())
            throw scheduler_not_attached();
        Scheduler *last = own.attached.back();
        own.attached.pop_back();
        last->Release();
    }
};

class Context {
public:
    /* A number below that of the scheduler's processors for its own threads, else -1. */
    static unsigned int __cdecl VirtualProcessorId() { return Scheduler::thread().processor; }
};

/* Further threads of the current scheduler that call one function at the same time. The destructor takes back the calls that no thread has
 * begun and waits for the others, so the caller, who works as well, never waits for a thread that waits for it. */
class sysroot_helpers {
    Scheduler *scheduler_;
    void (*run_)(void *);
    void *argument_;
    PTP_WORK work_ = nullptr;

    static void CALLBACK enter(PTP_CALLBACK_INSTANCE, PVOID self, PTP_WORK)
    {
        sysroot_helpers &call = *static_cast<sysroot_helpers *>(self);
        Scheduler::Thread &own = Scheduler::thread();
        unsigned int index = call.scheduler_->enter_processor();
        own.implicit = call.scheduler_;
        own.processor = index;
        call.run_(call.argument_);
        own.processor = 0xFFFFFFFF;
        own.implicit = nullptr;
        call.scheduler_->leave_processor(index);
    }

public:
    /* `run` must not throw. Without memory for a helper the caller does all the work itself. */
    sysroot_helpers(void (*run)(void *), void *argument) : scheduler_(CurrentScheduler::Get()), run_(run), argument_(argument)
    {
        scheduler_->Reference();
        if (scheduler_->pool_)
            work_ = CreateThreadpoolWork(enter, this, &scheduler_->environment_);
    }
    ~sysroot_helpers()
    {
        settle();
        if (work_)
            CloseThreadpoolWork(work_);
        scheduler_->Release();
    }
    sysroot_helpers(const sysroot_helpers &) = delete;
    sysroot_helpers &operator=(const sysroot_helpers &) = delete;

    unsigned int most() const { return work_ ? scheduler_->helpers_ : 0; }
    void call(size_t times)
    {
        for (size_t time = 0; work_ && time < times; ++time)
            SubmitThreadpoolWork(work_);
    }
    void settle()
    {
        if (work_)
            WaitForThreadpoolWorkCallbacks(work_, TRUE);
    }
};

/* A lock that one thread holds and that it may not take twice. */
class critical_section {
    SRWLOCK lock_ = SRWLOCK_INIT;
    std::atomic<DWORD> owner_{0};

    void owned() { owner_.store(GetCurrentThreadId(), std::memory_order_relaxed); }

public:
    typedef SRWLOCK &native_handle_type;
    critical_section() = default;
    critical_section(const critical_section &) = delete;
    critical_section &operator=(const critical_section &) = delete;
    void lock()
    {
        if (owner_.load(std::memory_order_relaxed) == GetCurrentThreadId())
            throw improper_lock();
        AcquireSRWLockExclusive(&lock_);
        owned();
    }
    bool try_lock()
    {
        if (!TryAcquireSRWLockExclusive(&lock_))
            return false;
        owned();
        return true;
    }
    void unlock()
    {
        owner_.store(0, std::memory_order_relaxed);
        ReleaseSRWLockExclusive(&lock_);
    }
    native_handle_type native_handle() { return lock_; }

    class scoped_lock {
        critical_section &held_;

    public:
        explicit scoped_lock(critical_section &section) : held_(section) { held_.lock(); }
        ~scoped_lock() { held_.unlock(); }
        scoped_lock(const scoped_lock &) = delete;
        scoped_lock &operator=(const scoped_lock &) = delete;
    };
};

} // namespace Concurrency

namespace concurrency = Concurrency;
