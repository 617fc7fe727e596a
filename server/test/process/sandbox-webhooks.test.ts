/** Tests to which hosts a running sandbox sends webhooks. */
import { expect, it, onTestFinished, vi } from 'vitest'
import { call, openMerchant, printedLogin } from '../support/coffer-client.ts'
import { ownSettings, startCoffer, useDataDirs } from '../support/coffer-process.ts'
import { recordsOf, startDnsServer } from '../support/dns-server.ts'

const dataDirs = useDataDirs()

it('sends no webhook over plain HTTP to an internal name that resolves to a public address', async () => {
  const dns = await startDnsServer((question) => recordsOf(question, ['1.1.1.1']))
  onTestFinished(() => dns.close())
  const settings = await ownSettings(await dataDirs.fresh(), { WEBHOOK_DNS_SERVERS: dns.address })
  const coffer = await startCoffer(settings)
  const merchant = await openMerchant(coffer.url, printedLogin(coffer))
  await merchant.setWebhook('http://shop.internal:4000/', 's'.repeat(32))
  const path = `${coffer.url}/weebhook/${merchant.merchantId}`
  const bearer = { authorization: `Bearer ${merchant.token}` }
  expect((await call(`${path}/test`, 'POST', bearer)).status).toBe(202)
  const errors = async () =>
    (await call(`${path}/deliveries`, 'GET', bearer)).body.data.map(
      ({ lastError }: { lastError: string | null }) => lastError,
    )
  await vi.waitFor(
    async () =>
      expect(await errors()).toEqual([
        'refused: the URL must be https: the sandbox allows plain http only to private addresses',
      ]),
    { timeout: 30_000, interval: 100 },
  )
  await coffer.stop()
})
