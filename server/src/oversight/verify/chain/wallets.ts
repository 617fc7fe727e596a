/**
 * Checks that the stored hot wallets are those of the signer. The signer could not spend from other
 * addresses.
 */
import sql from 'sql-template-tag'
import { allNetworks } from '../../../chains/networks.ts'
import { findingsMax, type Invariant } from '../invariant.ts'
import { inOneScan } from '../scan.ts'

/**
 * UTXO networks are not checked here. The payouts process derives their wallet addresses one after the other,
 * and checks each address before using it.
 */
export const walletsAreTheSigners: Invariant = inOneScan({
  id: 'M19-wallets',
  title: 'the hot wallets are those that the signer states',
  unit: 'hot wallets',
  check: async ({ on, attested }) => {
    const names = allNetworks().flatMap(({ name, family }) => (family === attested?.family ? [name] : []))
    const stored = await on.query<{ network: string; index: number; address: string }>(sql`
      select network, index, address from hot_wallet where network = any(${names}::text[]) order by network, index`)
    const hotWallets = attested?.hotWallets ?? []
    const findings = stored.flatMap(({ network, index, address }) => {
      const shown = hotWallets[index]
      if (shown === undefined || shown === address) return []
      return [`hot wallet ${index} of ${network} is ${address}; the signer states ${shown}`]
    })
    return { examined: stored.length, findings: findings.slice(0, findingsMax) }
  },
})
