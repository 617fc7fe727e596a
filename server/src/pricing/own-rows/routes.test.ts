import { expect, it } from 'vitest'
import { ownRowRoutes } from './routes.ts'
import { noOwnRows, type OwnRows } from './signed-rows.ts'

const row = {
  methodId: 1000,
  network: 'base',
  symbol: 'XUSD',
  name: 'A dollar',
  decimals: 6,
  contract: `0x${'ab'.repeat(20)}`,
  minimum: '1',
  depositMax: '1000',
  isStable: true,
  isCreditable: false,
}

it.each([
  [{ isEnabled: true }, { state: 'enabled', isEnabled: true }],
  [{ isEnabled: false }, { state: 'disabled', isEnabled: false }],
  [
    { isEnabled: true, conflict: 'symbol is already used' },
    { state: 'unusable', isEnabled: false },
  ],
  [
    { isEnabled: false, conflict: 'symbol is already used' },
    { state: 'unusable', isEnabled: false },
  ],
])('a token that is %o is listed as %o', async (known, shown) => {
  const rows: OwnRows = { ...noOwnRows, tokens: [{ row, serial: 1, ...known }] }
  const [list] = ownRowRoutes({ ownRows: () => rows, chains: [], canSignHere: false })
  expect(await list?.handle({} as never)).toMatchObject({ body: { tokens: [shown] } })
})
