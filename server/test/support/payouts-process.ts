/** Machine and signer in a process of their own, which can be killed at a statement. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import { useChildScript } from './child-script.ts'
import type { PayoutOrders } from './payout-orders.ts'
import type { TestSigner } from './signer.ts'

/** Before the first statement of that name, or after the commit of its transaction. */
export interface Moment {
  readonly named: string
  readonly when: 'before' | 'committed'
}

/**
 * Planned but not committed; committed but not signed; signed but not stored (E01); stored but not sent; sent but not
 * committed (E02).
 */
export const momentsOfSending: readonly Moment[] = [
  { named: 'insert-payouts', when: 'before' },
  { named: 'insert-payouts', when: 'committed' },
  { named: 'insert-payout-attempts', when: 'before' },
  { named: 'insert-payout-attempts', when: 'committed' },
  { named: 'save-attempt-broadcast', when: 'before' },
  { named: 'save-attempt-broadcast', when: 'committed' },
]

/** What became of it not committed, and committed. */
export const momentsOfEnding: readonly Moment[] = [
  { named: 'save-payout-inclusions', when: 'before' },
  { named: 'save-payout-inclusions', when: 'committed' },
]

export interface PayoutsProcess {
  /** Runs it until nothing is left to do. */
  run(orders: PayoutOrders): Promise<void>
  /** Runs it until it is killed at that moment, which must come. */
  runUntil(moment: Moment, orders: PayoutOrders): Promise<void>
}

/**
 * @param entry the script of the process
 * @param endLeases what it holds when it is killed, nobody waits for
 */
export function usePayoutsProcess(entry: URL, endLeases: () => Promise<void>): PayoutsProcess {
  const script = useChildScript(entry)
  const said = async (orders: PayoutOrders) => {
    const child = spawn(process.execPath, [script], {
      env: { ...process.env, PAYOUT_ORDERS: JSON.stringify(orders) },
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

/** Has the process go on with the log and the keys of a test's signer, which is closed. */
export async function handOver(
  { signer, options, logPath, intentKey }: TestSigner,
  places: Pick<PayoutOrders, 'databaseUrl' | 'nodeUrl'>,
): Promise<PayoutOrders> {
  await signer.close()
  const { mnemonic, lanes } = options
  return { ...places, mnemonic, lanes, logPath, intentKey: intentKey.export().toString('hex') }
}
