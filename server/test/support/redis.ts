/** A real Redis for tests, where the host has one. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Redis } from 'ioredis'
import { onTestFinished, vi } from 'vitest'
import { freePort } from '../../src/core/free-port.ts'
import { Secret } from '../../src/core/settings.ts'
import { findProgram } from '../../src/sandbox/find-program.ts'

const program = 'redis-server'

export const isRedisInstalled = findProgram(program) !== undefined

/** The reason that a test reports when it is skipped because Redis is missing. */
export const redisMissing = `${program} is not on the PATH (Debian package redis-server)`

export interface TestRedis {
  readonly url: Secret
  /** Kills it at once, as a power cut does. */
  kill(): Promise<void>
  /** Starts it again, empty, on the same port. */
  restart(): Promise<void>
  /** Stops it from answering while its connections stay open. `resume` ends that. */
  pause(): void
  resume(): void
  /** Returns how many scripts it has run. Each count of a rate limiter is one script. */
  countScripts(): Promise<number>
}

/** Starts a Redis without persistence that ends with the test. */
export async function startRedis(): Promise<TestRedis> {
  const port = await freePort()
  let child = await start(port)
  onTestFinished(async () => {
    await end(child)
  })
  return {
    url: new Secret(`redis://127.0.0.1:${port}`),
    kill: () => end(child),
    restart: async () => {
      child = await start(port)
    },
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    countScripts: () => countScripts(port),
  }
}

async function start(port: number): Promise<ChildProcess> {
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const child = spawn(program, settings, { stdio: 'ignore', cwd: '/' })
  await vi.waitFor(() => ping(port), { timeout: 10_000, interval: 20 })
  return child
}

async function ping(port: number): Promise<void> {
  const redis = new Redis({ port, lazyConnect: true, retryStrategy: () => null })
  redis.on('error', () => {})
  try {
    await redis.connect()
    await redis.ping()
  } finally {
    redis.disconnect()
  }
}

async function countScripts(port: number): Promise<number> {
  const redis = new Redis({ port, lazyConnect: true, retryStrategy: () => null })
  redis.on('error', () => {})
  try {
    await redis.connect()
    const statistics = await redis.info('commandstats')
    return [...statistics.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm)].reduce(
      (sum, [, calls]) => sum + Number(calls),
      0,
    )
  } finally {
    redis.disconnect()
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
