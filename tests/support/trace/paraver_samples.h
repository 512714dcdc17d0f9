/// A small Paraver trace with everything that the reader interprets, for tests. Two tasks on two nodes: a late sender,
/// a non-blocking message back, a broadcast, user functions, counters, values with and without labels.
#pragma once

namespace mora::trace::paraver {

inline constexpr const char* sample_prv = R"(#Paraver (21/11/2026 at 08:00):1000_ns:2(1,1):1:2(1:1,1:2),2
c:1:1:2:1:2
c:1:2:1:1
1:1:1:1:1:0:1000:1
1:2:1:2:1:0:1000:1
2:1:1:1:1:0:40000001:1:60000019:1
2:2:1:2:1:0:40000001:1:60000019:1
2:1:1:1:1:10:50000003:31
2:2:1:2:1:10:50000003:31
2:1:1:1:1:20:50000003:0
2:2:1:2:1:20:50000003:0
2:2:1:2:1:100:50000001:2:42000050:5000:70000001:2:80000001:3
2:1:1:1:1:300:60000019:2:60000119:1
2:1:1:1:1:400:50000001:1:42000050:700:70000001:2:80000001:2
3:1:1:1:1:400:410:2:1:2:1:100:420:2048:7
2:1:1:1:1:410:50000001:0:42000050:20
2:2:1:2:1:420:50000001:0:42000050:90
2:1:1:1:1:430:60000019:0
2:1:1:1:1:500:50000001:4:80000001:4
2:1:1:1:1:510:50000001:0
2:2:1:2:1:550:50000001:3
3:2:1:2:1:550:555:1:1:1:1:510:640:16:4294967295
2:2:1:2:1:555:50000001:0
2:1:1:1:1:600:50000001:5
2:1:1:1:1:640:50000001:0
2:2:1:2:1:660:50000002:7:50100001:0:50100002:800:50100004:1
2:1:1:1:1:700:50000002:7:50100001:800:50100002:0:50100003:1:50100004:1
2:1:1:1:1:720:50000002:0
2:2:1:2:1:725:50000002:0
2:1:1:1:1:800:40000012:0:9999:5
2:2:1:2:1:810:1000:42:2000:42:2000:3
2:1:1:1:1:900:40000012:1
2:1:1:1:1:950:50000003:32
2:2:1:2:1:950:50000003:32
2:1:1:1:1:990:50000003:0
2:2:1:2:1:990:50000003:0
2:1:1:1:1:1000:60000019:0:40000001:0
2:2:1:2:1:1000:60000019:0:40000001:0
)";

inline constexpr const char* sample_pcf = R"(DEFAULT_OPTIONS

LEVEL               THREAD
UNITS               NANOSEC

STATES
0    Idle
1    Computing

STATES_COLOR
0    {117,195,255}

EVENT_TYPE
9    50000001    MPI Point-to-point
VALUES
4   MPI_Irecv
3   MPI_Isend
5   MPI_Wait
1   MPI_Send
2   MPI_Recv
0   Outside MPI

EVENT_TYPE
9    50000002    MPI Collective Comm
VALUES
7   MPI_Bcast
0   Outside MPI

EVENT_TYPE
9    50000003    MPI Other
VALUES
31   MPI_Init
32   MPI_Finalize
0   Outside MPI

EVENT_TYPE
0    60000019    User function
VALUES
0   End
1 main
2 a_function_wi...a_long_name [a_function_with_a_long_name]

EVENT_TYPE
0    60000119    User function line
VALUES
0   End
1 12 (work.c)

EVENT_TYPE
0    70000001    Caller at level 1
VALUES
0   End
2 main

EVENT_TYPE
0    80000001    Caller line at level 1
VALUES
0   End
2 20 (work.c, /home/user/a.out)
3 25 (work.c, /home/user/a.out)
4 31 (wo...c) [31 (work.c, /home/user/a.out)]

EVENT_TYPE
7  42000050 PAPI_TOT_INS [Instr completed]

EVENT_TYPE
6    1000   Number of iterations

EVENT_TYPE
6    2000   Phase
VALUES
42   solve
)";

inline constexpr const char* sample_row = R"(LEVEL CPU SIZE 2
1.alpha
2.beta

LEVEL NODE SIZE 2
alpha
beta

LEVEL THREAD SIZE 2
THREAD 1.1.1
THREAD 1.2.1
)";

}  // namespace mora::trace::paraver
