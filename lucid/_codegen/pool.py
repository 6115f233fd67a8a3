"""One pool of threads, in C, for native kernels and for numpy's matrix products alike.

    core()                -> the core library (ctypes), or None where there is no working compiler
    address()             -> the address of lucid_parallel for kernels, 0 without a core library
    set_threads(n)        -> how many threads work from now on; set_num_threads tells it once the library is loaded
    threads()             -> that number
    hook_blas()           -> whether numpy's OpenBLAS runs its parallel regions on this pool from now on
    unhook_blas()         -> it uses its own threads again

In C, once the text begins with DECLARATIONS:

    void lucid_parallel(void (*task)(void *context, long index), void *context, long count);

calls task(context, 0..count-1), each once, on the pool's threads and the caller's, and returns when all are done. Which
thread runs which index is open, so results must depend on the index alone. A call from inside a task, or while
another thread of the program has the pool, runs in the caller alone. A forked child makes a pool of its own.

Two pools on the same processors ruin each other (OpenBLAS's workers spin for 26 ms after each call), hence the hook.
"""

import ctypes
import functools
import os
import re

from .._array.numpy.threads import blas_functions, cpus, listeners
from .._base.state import switches
from . import build

# What a kernel text begins with, to call lucid_parallel: a pointer, which `extension.load` sets; until then, and where
# there is no pool, a plain loop.
DECLARATIONS = """\
#ifndef LUCID_PARALLEL
#define LUCID_PARALLEL
static void lucid_serial(void (*task)(void *, long), void *context, long count)
{
  for (long i = 0; i < count; i++) task(context, i);
}
static void (*lucid_parallel)(void (*)(void *, long), void *, long) = lucid_serial;
__attribute__((visibility("default"))) void lucid_use_pool(void *pool)
{
  lucid_parallel = pool ? (void (*)(void (*)(void *, long), void *, long))pool : lucid_serial;
}
#endif
"""

CORE = r"""
/* pthreads by hand: the types are only ever used through pointers, with room for the largest of any system */
typedef struct { long room[16]; } lock_t;
typedef struct { long room[16]; } signals_t;
int pthread_create(void *, const void *, void *(*)(void *), void *);
int pthread_join(unsigned long, void **);
int pthread_detach(unsigned long);
int pthread_mutex_init(void *, const void *);
int pthread_mutex_lock(void *);
int pthread_mutex_trylock(void *);
int pthread_mutex_unlock(void *);
int pthread_cond_init(void *, const void *);
int pthread_cond_wait(void *, void *);
int pthread_cond_broadcast(void *);
int pthread_sigmask(int, const void *, void *);
int pthread_atfork(void (*)(void), void (*)(void), void (*)(void));
int sigfillset(void *);
int sched_yield(void);
#ifdef __APPLE__
#define SET_MASK 3
#else
#define SET_MASK 2
#endif
#if defined(__x86_64__) || defined(__i386__)
#define RELAX() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define RELAX() __asm__ volatile("yield")
#else
#define RELAX() ((void)0)
#endif
#define LOAD(x) __atomic_load_n(&(x), __ATOMIC_SEQ_CST)
#define STORE(x, v) __atomic_store_n(&(x), v, __ATOMIC_SEQ_CST)
#define ADD(x, v) __atomic_add_fetch(&(x), v, __ATOMIC_SEQ_CST)
#define API __attribute__((visibility("default")))
#define MOST 256

typedef void (*task_t)(void *, long);
static lock_t busy, sleep_lock, wake, blas_lock;
static int ready, wanted = 1, workers, processors = 1; /* threads besides the caller's: workers */
static unsigned generation;                            /* counts the jobs, so that a worker knows of a new one */
static int sleepers;
static struct { task_t task; void *context; long count, mode; int most; } job;
/* on cache lines of their own */
static struct { long next, a[15]; int open, b[31]; int inside, c[31]; } run;
static __thread int in_task;

/* How floats are rounded and whether denormals are flushed belongs to a thread: workers take the caller's. */
static long float_mode(void)
{
#ifdef __SSE__
  return __builtin_ia32_stmxcsr();
#elif defined(__aarch64__)
  long mode;
  __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
  return mode;
#else
  return 0;
#endif
}
static void set_float_mode(long mode)
{
#ifdef __SSE__
  __builtin_ia32_ldmxcsr((unsigned)mode);
#elif defined(__aarch64__)
  __asm__ volatile("msr fpcr, %0" : : "r"(mode));
#endif
}

static void work(void)
{
  in_task = 1;
  for (long i; (i = __atomic_fetch_add(&run.next, 1, __ATOMIC_RELAXED)) < job.count;) job.task(job.context, i);
  in_task = 0;
}

/* A worker enters before it looks whether a job is open; the owner closes the job before it waits for those inside. */
static void *worker(void *given)
{
  int id = (int)(long)given, spin = processors > 1 ? SPIN : 1;
  unsigned seen = 0;
  for (;;) {
    for (int s = 0; LOAD(generation) == seen;) {
      if (++s < spin) { RELAX(); continue; }
      pthread_mutex_lock(&sleep_lock);
      ADD(sleepers, 1);
      while (LOAD(generation) == seen) pthread_cond_wait(&wake, &sleep_lock);
      ADD(sleepers, -1);
      pthread_mutex_unlock(&sleep_lock);
    }
    seen = LOAD(generation);
    ADD(run.inside, 1);
    if (LOAD(run.open) && id < job.most) {
      set_float_mode(job.mode);
      work();
    }
    ADD(run.inside, -1);
  }
  return 0;
}

static void start_state(void)
{
  pthread_mutex_init(&busy, 0);
  pthread_mutex_init(&sleep_lock, 0);
  pthread_mutex_init(&blas_lock, 0);
  pthread_cond_init(&wake, 0);
  workers = sleepers = run.inside = run.open = 0;
  in_task = 0;
}

/* Have at least `threads` threads, the caller's included; how many there are. The lock `busy` is held. */
static int grow(int threads)
{
  signals_t all, before;
  unsigned long thread;
  if (threads > MOST) threads = MOST;
  if (workers + 1 >= threads) return workers + 1;
  sigfillset(&all); /* signals are for the program's own threads */
  pthread_sigmask(SET_MASK, &all, &before);
  while (workers + 1 < threads) {
    if (pthread_create(&thread, 0, worker, (void *)(long)(workers + 1))) break;
    pthread_detach(thread);
    workers++;
  }
  pthread_sigmask(SET_MASK, &before, 0);
  return workers + 1;
}

/* Run one job on `threads` threads. The lock `busy` is held. */
static void run_job(task_t task, void *context, long count, int threads)
{
  job.task = task; job.context = context; job.count = count; job.most = threads; job.mode = float_mode();
  STORE(run.next, 0);
  STORE(run.open, 1);
  ADD(generation, 1);
  if (LOAD(sleepers)) {
    pthread_mutex_lock(&sleep_lock);
    pthread_cond_broadcast(&wake);
    pthread_mutex_unlock(&sleep_lock);
  }
  work();
  STORE(run.open, 0);
  for (int s = 0; LOAD(run.inside);) {
    if (++s < SPIN && processors > 1) RELAX();
    else sched_yield();
  }
}

API void lucid_parallel(task_t task, void *context, long count)
{
  int threads = wanted < count ? wanted : (int)count;
  if (threads > 1 && !in_task && !pthread_mutex_trylock(&busy)) {
    threads = grow(threads) < threads ? workers + 1 : threads;
    run_job(task, context, count, threads);
    pthread_mutex_unlock(&busy);
    return;
  }
  for (long i = 0; i < count; i++) task(context, i);
}

API void lucid_set_threads(int n, int available)
{
  wanted = n < 1 ? 1 : n > MOST ? MOST : n;
  processors = available;
  if (!ready) {
    ready = 1;
    start_state();
    pthread_atfork(0, 0, start_state);
  }
}
API int lucid_threads(void) { return wanted; }
API int lucid_workers(void) { return workers; }

/* OpenBLAS's parallel regions. Its jobs wait for one another, so each needs a thread of its own, all at the same time.
   The number that a job is given stands for a buffer and for an entry in OpenBLAS's list of its own threads, which
   stay at work for what it does not hand over (getrf): so the numbers count down from the end of that list, and two
   regions never run together. */
static int last_slot;
API void lucid_set_blas_slots(int n) { last_slot = n - 1; }
typedef void (*dojob_t)(int, void *, int);
typedef struct { dojob_t dojob; char *data; unsigned long size; int extra, taken; } region_t;
static void region_job(void *context, long index)
{
  region_t *r = context;
  r->dojob(last_slot - (int)index, r->data + (unsigned long)index * r->size, r->extra);
}
static void *region_thread(void *context)
{
  region_job(context, __atomic_add_fetch(&((region_t *)context)->taken, 1, __ATOMIC_SEQ_CST));
  return 0;
}
/* Threads of its own: inside a task, and where the pool could not grow. */
static void region_apart(region_t *r, int count)
{
  unsigned long threads[MOST];
  int made = 0;
  while (made < count - 1 && made < MOST)
    if (!pthread_create(&threads[made], 0, region_thread, r)) made++;
    else sched_yield(); /* until others end: the jobs need it */
  region_job(r, 0);
  for (int i = 0; i < made; i++) pthread_join(threads[i], 0);
}
API void lucid_blas_region(int sync, dojob_t dojob, int count, unsigned long size, void *data, int extra)
{
  region_t r = {dojob, data, size, extra, 0};
  (void)sync;
  if (count < 2) {
    if (count == 1) region_job(&r, 0);
  } else if (in_task) {
    pthread_mutex_lock(&blas_lock);
    region_apart(&r, count);
    pthread_mutex_unlock(&blas_lock);
  } else {
    pthread_mutex_lock(&busy);
    if (grow(count) >= count) run_job(region_job, &r, count, count);
    else region_apart(&r, count);
    pthread_mutex_unlock(&busy);
  }
}
"""

SPIN = 8000  # turns of a worker that waits before it sleeps, some 100 microseconds


def _core_text():
    return CORE.replace("SPIN", str(SPIN))


def sources():
    """The texts that `core` compiles, for those who compile others first."""
    return [] if core.cache_info().currsize else [build.FIRST, _core_text()]


@functools.lru_cache(None)
def core():
    """The core library with the pool, compiled on first use; None where no compiler works (said once, by `build`)."""
    if not build.usable():
        return None
    try:
        library = build.load(_core_text())
    except build.CompileError as error:
        build.warn(error)
        return None
    set_threads(switches.threads or cpus("OMP_NUM_THREADS"), library)
    listeners.append(set_threads)
    return library


def address():
    """Where lucid_parallel is, for `lucid_use_pool` of a kernel library; 0 without a core library."""
    library = core()
    return ctypes.cast(library.lucid_parallel, ctypes.c_void_p).value if library is not None else 0


def set_threads(n, library=None):
    """Let n threads work on kernels; nothing where there is no core library."""
    library = library or core()
    if library is not None:
        library.lucid_set_threads(n, cpus())
        if _hooked and 2 * n > _hooked[0]:
            unhook_blas()


def threads():
    """How many threads work on a kernel; 1 without a core library."""
    library = core()
    return library.lucid_threads() if library is not None else 1


_HOOKS = (
    "scipy_openblas_set_threads_callback_function64_",
    "scipy_openblas_set_threads_callback_function",
    "openblas_set_threads_callback_function64_",
    "openblas_set_threads_callback_function",
)


_CONFIGS = tuple(hook.replace("set_threads_callback_function", "get_config") for hook in _HOOKS)


def _tell_blas(region):
    told = False
    for function in blas_functions(_HOOKS):
        function.argtypes, function.restype = [ctypes.c_void_p], None
        function(region)
        told = True
    return told


def _slots():
    """How many threads the smallest of the OpenBLAS libraries has room for; 0 when it does not say."""
    found = []
    for function in blas_functions(_CONFIGS):
        function.argtypes, function.restype = [], ctypes.c_char_p
        said = re.search(rb"MAX_THREADS=(\d+)", function() or b"")
        found.append(int(said[1]) if said else 0)
    return min(found, default=0)


_hooked = []  # the number of slots, while OpenBLAS runs on the pool


def hook_blas():
    """Let numpy's OpenBLAS run its parallel regions on this pool. False, and nothing changed, where that cannot be.

    How many threads a product takes stays OpenBLAS's own number; products give the same numbers as before.
    """
    library = core()
    if library is None or os.environ.get("LUCID_BLAS_POOL") == "0":
        return False
    slots = _slots()
    if 2 * max(cpus(), cpus("OMP_NUM_THREADS"), cpus("OPENBLAS_NUM_THREADS"), switches.threads or 1) > slots:
        return False  # there is no room for numbers beside those of OpenBLAS's own threads
    library.lucid_set_blas_slots(slots)
    _hooked[:] = [slots] * _tell_blas(ctypes.cast(library.lucid_blas_region, ctypes.c_void_p))
    return bool(_hooked)


def unhook_blas():
    """Let OpenBLAS use its own threads again. False where it has no such hook."""
    _hooked.clear()
    return _tell_blas(None)
