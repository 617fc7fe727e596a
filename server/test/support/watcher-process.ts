/** Watchers in processes of their own, which a test may kill, pause and continue. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, onTestFinished } from 'vitest'
import { required } from '../../src/core/assert.ts'
import type { ChainFlow } from './chain-flow.ts'
import { useChildScript } from './child-script.ts'
import type { WatcherOrders } from './watcher-orders.ts'

export interface WatcherProcess {
  readonly child: ChildProcess
  /** Resolves with the first line of its output, from its start on, that contains `text`. */
  said(text: string): Promise<Record<string, unknown>>
  hasSaid(text: string): boolean
  /** Resolves when the process has ended, for whatever reason. */
  readonly ended: Promise<void>
}

export type StartWatcher = (interrupt?: WatcherOrders['interrupt']) => WatcherProcess

/**
 * Compiles the watcher once for the file and starts processes on demand. Those that are left are killed after
 * their test.
 */
export function useWatcherProcesses(flow: ChainFlow): StartWatcher {
  const script = useChildScript(new URL('../flows/watcher-child.ts', import.meta.url))
  return (interrupt) => {
    const { database, anvil, tokens } = flow
    const orders: WatcherOrders = { databaseUrl: database.urls.app, nodeUrl: anvil.url, tokens }
    return start(script, interrupt === undefined ? orders : { ...orders, interrupt })
  }
}

function start(script: string, orders: WatcherOrders): WatcherProcess {
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, WATCHER_ORDERS: JSON.stringify(orders) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit').then(() => {})
  const lines: string[] = []
  createInterface({ input: required(child.stdout, 'the output of a watcher') }).on('line', (line) => {
    lines.push(line)
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const find = (text: string) => lines.find((line) => line.includes(text))
  const said = async (text: string) => {
    await expect.poll(() => find(text), { timeout: 30_000, interval: 10, message: text }).toBeDefined()
    return JSON.parse(find(text) ?? '')
  }
  return { child, ended, said, hasSaid: (text) => find(text) !== undefined }
}
