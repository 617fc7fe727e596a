/** Hot wallets are the signer's: what lies elsewhere is not ours to spend. */
import sql from 'sql-template-tag'
import { networks } from '../../../chains/networks.ts'
import { findingsMax, type Invariant } from '../invariant.ts'
import { inOneLook } from '../look.ts'

/** Where money lies in coins, places are derived one after the other, and payouts compare each before it is used. */
export const walletsAreTheSigners: Invariant = inOneLook({
  id: 'M19-wallets',
  title: 'the hot wallets are those that the signer shows',
  unit: 'hot wallets',
  check: async ({ on, attested }) => {
    const names = Object.values(networks).flatMap(({ name, family }) =>
      family === attested?.family ? [name] : [],
    )
    const stored = await on.query<{ network: string; lane: number; address: string }>(sql`
      select network, lane, address from hot_wallet where network = any(${names}::text[]) order by network, lane`)
    const lanes = attested?.lanes ?? []
    const findings = stored.flatMap(({ network, lane, address }) => {
      const shown = lanes[lane]
      if (shown === undefined || shown === address) return []
      return [`hot wallet ${lane} of ${network} is ${address}; the signer shows ${shown}`]
    })
    return { examined: stored.length, findings: findings.slice(0, findingsMax) }
  },
})
