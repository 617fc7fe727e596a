/** Runs the outgoing engine and the signer in a process of their own, which can be killed at a statement. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import { useChildScript } from './child-script.ts'
import type { OutgoingOrders } from './outgoing-orders.ts'
import type { TestSigner } from './signer.ts'

/** The moment before the first statement of that name, or after the commit of its transaction. */
export interface Moment {
  readonly named: string
  readonly when: 'before' | 'committed'
}

/**
 * The moments at which sending can be interrupted: planned but not committed, committed but not signed,
 * signed but not stored (E01), stored but not sent, sent but not committed (E02), and committed.
 */
export const momentsOfSending: readonly Moment[] = [
  { named: 'insert-outgoing-transactions', when: 'before' },
  { named: 'insert-outgoing-transactions', when: 'committed' },
  { named: 'insert-outgoing-transaction-attempts', when: 'before' },
  { named: 'insert-outgoing-transaction-attempts', when: 'committed' },
  { named: 'save-attempt-broadcast', when: 'before' },
  { named: 'save-attempt-broadcast', when: 'committed' },
]

/** The moments at which recording an outcome can be interrupted: before its commit and after it. */
export const momentsOfEnding: readonly Moment[] = [
  { named: 'save-outgoing-transaction-inclusions', when: 'before' },
  { named: 'save-outgoing-transaction-inclusions', when: 'committed' },
]

export interface EngineProcess {
  /** Runs the process until nothing is left to do. */
  run(orders: OutgoingOrders): Promise<void>
  /** Runs the process until it is killed at that moment, which must occur. */
  runUntil(moment: Moment, orders: OutgoingOrders): Promise<void>
}

/**
 * Runs engines in processes that are compiled once for the test file.
 * @param entry the script of the process
 * @param endLeases ends the leases of a killed process, so that no test waits for them to expire
 */
export function useEngineProcess(entry: URL, endLeases: () => Promise<void>): EngineProcess {
  const script = useChildScript(entry)
  const said = async (orders: OutgoingOrders) => {
    const child = spawn(process.execPath, [script], {
      env: { ...process.env, OUTGOING_ORDERS: JSON.stringify(orders) },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [lines] = await Promise.all([text(child.stdout), once(child, 'exit')])
    await endLeases()
    return lines
  }
  return {
    run: async (orders) => {
      expect(await said(orders)).toContain('cameToRest')
    },
    runUntil: async (moment, orders) => {
      const interrupt = { signal: 'SIGKILL', ...moment } as const
      expect(await said({ ...orders, interrupt })).toContain('"interruptedBefore"')
    },
  }
}

/**
 * Closes a test's signer, and returns the start parameters of a process that continues with the signer's log
 * and keys.
 */
export async function transferLease(
  { signer, options, logPath, intentKey }: TestSigner,
  urls: Pick<OutgoingOrders, 'databaseUrl' | 'nodeUrl'>,
): Promise<OutgoingOrders> {
  await signer.close()
  const { mnemonic, hotWallets } = options
  return { ...urls, mnemonic, hotWallets, logPath, intentKey: intentKey.export().toString('hex') }
}
