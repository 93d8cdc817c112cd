// Processors in groups and NUMA nodes: what the descriptions of both say adds up, and threads can be placed. Machines differ, so sums are
// compared, not numbers.
#include "check.h"
#include <stddef.h>

static BYTE buffer[1 << 16];

static int ones(KAFFINITY mask) {
    int count = 0;
    for (; mask; mask &= mask - 1)
        ++count;
    return count;
}

// Sums up what one kind of description says, and counts those that have no group or no processor.
static int sum(LOGICAL_PROCESSOR_RELATIONSHIP kind, int *bad) {
    DWORD length = sizeof buffer;
    int total = 0;
    CHECK(GetLogicalProcessorInformationEx(kind, (SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX *)buffer, &length));
    for (DWORD at = 0; at < length;) {
        SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX *one = (SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX *)(buffer + at);
        CHECK(one->Relationship == kind && one->Size != 0);
        if (kind == RelationGroup)
            for (WORD group = 0; group < one->Group.ActiveGroupCount; ++group)
                total += one->Group.GroupInfo[group].ActiveProcessorCount;
        if (kind == RelationNumaNode) {
            // 0 is what systems say that know one group alone.
            WORD groups = one->NumaNode.GroupCount ? one->NumaNode.GroupCount : 1;
            for (WORD group = 0; group < groups; ++group)
                total += ones(one->NumaNode.GroupMasks[group].Mask);
        }
        if (kind == RelationCache && (one->Cache.GroupCount > 1 || ones(one->Cache.GroupMasks[0].Mask) == 0))
            ++*bad;
        at += one->Size;
    }
    return total;
}

int main(void) {
    printf("%zu %zu %zu %zu\n", sizeof(NUMA_NODE_RELATIONSHIP), sizeof(CACHE_RELATIONSHIP), offsetof(NUMA_NODE_RELATIONSHIP, GroupMasks),
           offsetof(CACHE_RELATIONSHIP, GroupCount));
    int bad = 0, active = (int)GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
    int in_groups = 0;
    for (WORD group = 0; group < GetActiveProcessorGroupCount(); ++group)
        in_groups += (int)GetActiveProcessorCount(group);
    printf("processors %d groups %d described %d nodes %d\n", active > 0, in_groups == active, sum(RelationGroup, &bad) == active,
           sum(RelationNumaNode, &bad) == active);
    sum(RelationCache, &bad);
    ULONG highest = 99;
    CHECK(GetNumaHighestNodeNumber(&highest));
    printf("caches %d node %d\n", bad, highest < 64);
    GROUP_AFFINITY before = {0}, first = {0}, was = {0};
    CHECK(GetThreadGroupAffinity(GetCurrentThread(), &before));
    first.Group = before.Group;
    first.Mask = before.Mask & (0 - before.Mask);
    CHECK(SetThreadGroupAffinity(GetCurrentThread(), &first, &was) && was.Mask == before.Mask);
    PROCESSOR_NUMBER place = {0}, ideal = {0};
    GetCurrentProcessorNumberEx(&place);
    CHECK(GetThreadIdealProcessorEx(GetCurrentThread(), &ideal));
    printf("placed %d ideal %d\n", first.Mask == (KAFFINITY)1 << place.Number, ideal.Group == before.Group);
    CHECK(SetThreadGroupAffinity(GetCurrentThread(), &before, NULL));
    return 0;
}
