/** The summary that a soak prints at its end. */
import { formatDecimal } from '../../../src/core/money.ts'
import { partSubsets } from '../../support/host-snapshot.ts'
import { costsBeyondFees, type SoakFacts, waitedRoundsMax } from './checks.ts'
import { nameOf } from './episode.ts'
import { gasBudgetMinor, type Soak } from './soak.ts'

export function summaryOf(seed: number, { counts, signed }: Soak, facts: SoakFacts): string {
  const { orders } = facts
  const count = (is: (one: (typeof orders)[number]) => boolean) => orders.filter(is).length
  const isHostile = (one: (typeof orders)[number]) => one.kind === 'hostile'
  const paid = count(({ state }) => state === 'completed')
  const lost = count(({ state }) => state === 'lost')
  const worst = [...costsBeyondFees(facts).values()].reduce((most, one) => (one > most ? one : most), 0n)
  const eth = (minor: bigint) => `${formatDecimal(minor, 18)} ETH`
  const countOf = (of: ReadonlyMap<string, number>) =>
    [...of].map(([name, times]) => `${name} ${times}`).join(', ')
  const failedHostile = count((one) => isHostile(one) && one.state === 'failed')
  const minedFailures = count((one) => isHostile(one) && one.state === 'failed' && one.networkMinor > 0n)
  const kept = count((one) => isHostile(one) && one.state === 'pending')
  const rows: readonly (readonly [string, string])[] = [
    ['seed', `${seed}`],
    ...partSubsets.map(
      (parts) => [`restored: ${nameOf(parts)}`, `${counts.restores.get(nameOf(parts)) ?? 0}`] as const,
    ),
    ['restores, by fate of newer transactions', countOf(counts.fates)],
    ['halts lifted', countOf(counts.halts) || 'none'],
    ['losses accepted, recoveries asked for', `${counts.lossesAccepted}, ${counts.recoveries}`],
    ['transactions signed', `${signed.size}`],
    ['not found by the node at a restore', `${counts.hiddenBytes}`],
    ['sent again and accepted', `${counts.bytesTakenAgain}`],
    ['kills', `${counts.kills}`],
    ['orders paid', `${paid} of ${orders.length}`],
    ['orders lost with the database, paid', `${lost}, ${facts.outflows.length}`],
    ['to hostile contracts: paid', `${count((one) => isHostile(one) && one.state === 'completed')}`],
    ['to hostile contracts: failed, on chain', `${failedHostile}, ${minedFailures}`],
    ['to hostile contracts: beyond a budget', `${kept}`],
    [
      'worst rounds waited',
      `${counts.worstRounds} (at most ${waitedRoundsMax}), in ${counts.roundsWaited} rounds anybody did`,
    ],
    ["worst merchant's cost beyond its fees", `${eth(worst)} (budget ${eth(gasBudgetMinor)})`],
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n')
}
