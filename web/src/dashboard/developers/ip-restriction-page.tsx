import { CofferError } from 'coffer-sdk'
import { Network } from 'lucide-react'
import { type FormEvent, useDeferredValue, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { ConfirmDialog } from '../../design/dialog.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { TextAreaField } from '../../design/field.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { api, faultText } from '../client.ts'
import { useMerchant } from '../merchant/merchant-area.tsx'
import { confirmed, useAction, useApi } from '../use-api.ts'

export function IpRestrictionPage() {
  const { merchant, canChange } = useMerchant()
  const { ipWhitelist } = merchant.settings
  return (
    <Page
      title="IP restriction"
      description="From which addresses the API key may be used. People who are signed in are not restricted."
    >
      <Card title="Allowed" isFlush>
        {ipWhitelist.length === 0 ? (
          <EmptyState icon={Network} title="Any address may use the key">
            Name the addresses of your servers, and a stolen key is worth nothing elsewhere.
          </EmptyState>
        ) : (
          <ul>
            {ipWhitelist.map((entry) => (
              <li
                key={entry}
                className="border-b border-line px-4 py-2.5 sm:px-5 font-mono text-[0.8125rem] last:border-0"
              >
                {entry}
              </li>
            ))}
          </ul>
        )}
      </Card>
      {canChange && <RestrictForm key={ipWhitelist.join()} entries={ipWhitelist} />}
    </Page>
  )
}

/** The server says what it sees, and whether the list as typed would refuse it. */
function YourAddress({ ipAddresses }: { ipAddresses: readonly string[] }) {
  const { id: merchantID } = useMerchant()
  const tried = useDeferredValue(ipAddresses.join())
  const { data, error } = useApi(
    'getIpRestriction',
    { merchantID, ...(tried === '' ? {} : { ipAddresses: tried.split(',') }) },
    { keepsShown: true },
  )
  // What is no list of addresses is told where it is saved, not while it is typed.
  if (error !== null) return null
  if (data === undefined || tried === '')
    return <Notice tone="note">Your address now is {data?.yourAddress ?? 'being looked up'}.</Notice>
  return data.locksYouOut ? (
    <Notice tone="warn" title="Your address now is not among them">
      A request with the key from {data.yourAddress}, where you are, would be refused with 403, at once.
    </Notice>
  ) : (
    <Notice tone="good">Your address now, {data.yourAddress}, is among them.</Notice>
  )
}

/** Which entries are wrong, by what was typed instead of by their place. */
function entryFault(error: Error, entries: readonly string[]): string {
  if (!(error instanceof CofferError) || error.errors.length === 0) return faultText(error)
  return error.errors
    .map(({ pointer, detail }) => `${entries[Number(pointer.split('/').at(-1))] ?? 'An entry'} ${detail}`)
    .join(' ')
}

function RestrictForm({ entries }: { entries: readonly string[] }) {
  const { id: merchantID } = useMerchant()
  const [text, setText] = useState(entries.join('\n'))
  const [isLifting, setLifting] = useState(false)
  const ipAddresses = text.split(/[\s,]+/).filter((entry) => entry !== '')
  const restrict = useAction(() => api.restrictIpAddresses({ merchantID, body: { ipAddresses } }), {
    done: 'The restriction holds from now on.',
    showsFault: true,
  })
  const lift = useAction(() => api.liftIpRestriction({ merchantID }), {
    done: 'The key may be used from anywhere again.',
    showsFault: true,
    onDone: () => setLifting(false),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    restrict.mutate(undefined)
  }
  return (
    <Card title="Restrict the key">
      <form className="grid max-w-xl gap-4" onSubmit={submit}>
        <TextAreaField
          label="Addresses"
          hint="One a line: an address, or a range such as 203.0.113.0/24. IPv4 and IPv6."
          rows={5}
          value={text}
          onValue={setText}
          spellCheck={false}
          className="font-mono"
          fault={restrict.error === null ? undefined : entryFault(restrict.error, ipAddresses)}
        />
        <YourAddress ipAddresses={ipAddresses} />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" isBusy={restrict.isPending} disabled={ipAddresses.length === 0}>
            Restrict to these
          </Button>
          {entries.length > 0 && (
            <Button look="secondary" onClick={() => setLifting(true)}>
              Lift the restriction
            </Button>
          )}
        </div>
      </form>
      <ConfirmDialog
        isOpen={isLifting}
        onOpen={setLifting}
        title="Lift the restriction?"
        description="The key may then be used from any address."
        word="lift"
        action="Lift it"
        {...confirmed(lift)}
      />
    </Card>
  )
}
