/**
 * The accounts and networks that a test's signer serves. They are the regtest ones, unless a test replaces
 * the definitions of some networks.
 */
import { type UtxoNetwork, utxoNetworkOf } from '../../src/chains/networks.ts'
import type { KeyTree } from '../../src/signer/keys/key-tree.ts'
import type { Account } from '../../src/signing/signer-port.ts'

export function accountsOf(keys: KeyTree, rows: readonly UtxoNetwork[]): readonly Account[] {
  return keys.accounts('regtest').map((account) => {
    const row = rows.find(({ name }) => name === account.family)
    return row === undefined ? account : { ...account, ...keys.accountOf(row.chain) }
  })
}

export function rowOf(rows: readonly UtxoNetwork[]): (name: string) => UtxoNetwork | undefined {
  return (name) => rows.find((row) => row.name === name) ?? utxoNetworkOf(name, 'regtest')
}
