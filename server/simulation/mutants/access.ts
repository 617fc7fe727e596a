/** Faults in the access of merchants: deletion and restoration, API keys and IP lists. */
import { lines, type Mutant } from '../mutant.ts'

export const accessMutants: readonly Mutant[] = [
  {
    name: 'access/key-outlives-merchant',
    changes: [
      {
        file: 'offboarding/delete-merchant.ts',
        from: '    await markDeleted(tx, merchantId)\n    await endAccess(tx, merchantId)\n',
        to: '    await markDeleted(tx, merchantId)\n',
      },
      {
        file: 'merchants/key-store.ts',
        from: `where k.key_hash = any(\${[...keyHashes]}::bytea[]) and m.deleted_at is null`,
        to: `where k.key_hash = any(\${[...keyHashes]}::bytea[])`,
      },
    ],
    harm: 'The API key of a deleted merchant is still accepted, so whoever has it can create invoices that pay into money nobody can use.',
  },
  {
    name: 'access/looked-up-key-remembered',
    changes: [
      {
        file: 'merchants/authenticate-key.ts',
        from: 'export function openKeyLookUps(db: Queryable): KeyLookUps {\n',
        to: lines(
          'export function openKeyLookUps(db: Queryable): KeyLookUps {',
          '  const known = new Map<string, KeyAccess>()\n',
        ),
      },
      {
        file: 'merchants/authenticate-key.ts',
        from: lines(
          '      const found = await findKeyAccess(db, hashes)',
          "      return (hash) => found.get(hash.toString('hex'))",
        ),
        to: lines(
          '      for (const [hex, access] of await findKeyAccess(db, hashes)) known.set(hex, access)',
          "      return (hash) => known.get(hash.toString('hex'))",
        ),
      },
    ],
    harm: 'A process that has seen an API key once accepts it until it is restarted, so a stolen key still works after its merchant revoked or replaced it.',
  },
  {
    name: 'access/short-ip-list-ignored',
    file: 'merchants/authenticate-key.ts',
    from: 'found.ipWhitelist.length === 0 ||',
    to: 'found.ipWhitelist.length < 2 ||',
    harm: 'An IP list with one entry restricts nothing, so a stolen key works from any address.',
  },
  {
    name: 'access/token-outlives-merchant',
    file: 'merchants/accounts/session-store.ts',
    from: `left join merchant m on m.id = \${merchantId ?? null}::uuid and m.deleted_at is null`,
    to: `left join merchant m on m.id = \${merchantId ?? null}::uuid`,
    harm: 'Members of a deleted merchant still reach it with their tokens, and give payers new addresses whose money nobody can use.',
  },
  {
    name: 'access/late-payments-kept-from-restored',
    file: 'offboarding/restore-merchant.ts',
    from: '    await attributeToRestored(methods, tx, id)\n',
    to: '',
    harm: 'What payers sent while a merchant was deleted is not credited when the merchant is restored.',
  },
  {
    name: 'access/credited-during-deletion',
    file: 'merchants/store.ts',
    from: `where id = any (\${[...merchantIds]}::uuid[]) order by id for share\``,
    to: `where id = any (\${[...merchantIds]}::uuid[]) order by id\``,
    harm: 'A payment that is credited in the moment in which its merchant is deleted is credited to the deleted merchant, and a restoration at that moment leaves it out.',
  },
  {
    name: 'access/ended-order-returns-to-deleted',
    file: 'outgoing/withdrawals/end-withdrawals.ts',
    from: '  for (const ownerId of await lockDeleted(tx, [...returns.keys()])) {',
    to: '  for (const ownerId of [] as readonly string[]) {',
    harm: 'The amount of an order that fails after its merchant was deleted becomes available to the deleted merchant, outside of the money that is kept for a restoration.',
  },
]
