/** Tests which processes may sign the operator's entries by themselves. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { prepareOperatorKey } from '../../src/app/keys/open-operator-keys.ts'
import { openOperatorKeys } from '../../src/app/own-rows/open-entry-keys.ts'
import { type Config, readConfig } from '../../src/app/settings/config.ts'

let dataDir = ''
let publicKey = ''
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'coffer-entry-keys-'))
  publicKey = await prepareOperatorKey({
    mode: 'sandbox',
    dataDir,
    operatorKeyFile: undefined,
    operatorPublicKeys: [],
  })
})
afterAll(() => rm(dataDir, { recursive: true }))

const configOf = (over: Partial<Config>): Config => ({ ...readConfig({}), dataDir, ...over })

it('lets a sandbox without settings sign with the key of its data folder', async () => {
  const { reading, sign } = await openOperatorKeys(configOf({ mode: 'sandbox' }), 'an xpub')
  expect(reading.isSigned('a text', sign?.('a text') ?? '')).toBe(true)
})

it.each<[string, Partial<Config>]>([
  ['production, even beside a key file', { mode: 'production' }],
  ['production that accepts no key', { mode: 'production', operatorPublicKeys: [] }],
  ['production that names a key file', { mode: 'production', operatorKeyFile: 'operator.key' }],
  ['a sandbox whose operator keeps the key', { mode: 'sandbox' }],
])('signs nothing in %s', async (_what, over) => {
  const config = configOf({ operatorPublicKeys: [publicKey], ...over })
  expect((await openOperatorKeys(config, 'an xpub')).sign).toBeUndefined()
})
