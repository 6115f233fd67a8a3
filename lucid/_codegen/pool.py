"""One pool of threads, in C, for native kernels and for matrix products (products.py) alike.

    core()                -> the core library (ctypes), or None where there is no working compiler
    address()             -> the address of lucid_parallel for kernels, 0 without a core library
    set_threads(n)        -> how many threads work from now on; set_num_threads tells it once the library is loaded
    threads()             -> that number

In C, once the text begins with DECLARATIONS:

    void lucid_parallel(void (*task)(void *context, long index), void *context, long count);

calls task(context, 0..count-1), each once, on the pool's threads and the caller's, and returns when all are done. Which
thread runs which index is open, so results must depend on the index alone. A call from inside a task, or while
another thread of the program has the pool, runs in the caller alone. A forked child makes a pool of its own.

Two pools on the same processors ruin each other (OpenBLAS's workers spin for 26 ms after each call): so that library
has one thread, and products are shared out here.
"""

import ctypes
import functools

from .._array.numpy.threads import cpus, listeners
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
static lock_t busy, sleep_lock, wake;
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


def threads():
    """How many threads work on a kernel; 1 without a core library."""
    library = core()
    return library.lucid_threads() if library is not None else 1
