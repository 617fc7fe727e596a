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
import { api, errorText } from '../client.ts'
import { useMerchant } from '../merchant/merchant-area.tsx'
import { confirmed, useAction, useApi } from '../use-api.ts'

export function IpRestrictionPage() {
  const { merchant, canChange } = useMerchant()
  const { ipWhitelist } = merchant.settings
  return (
    <Page
      title="IP restriction"
      description="The IP addresses from which the API key may be used. Signed-in users are not restricted."
    >
      <Card title="Allowed addresses" isFlush>
        {ipWhitelist.length === 0 ? (
          <EmptyState icon={Network} title="All addresses are allowed">
            List the addresses of your servers, so that a stolen key cannot be used elsewhere.
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

/** Shows the user's address as the server sees it, and whether the typed list would reject this address. */
function YourAddress({ ipAddresses }: { ipAddresses: readonly string[] }) {
  const { id: merchantID } = useMerchant()
  const tried = useDeferredValue(ipAddresses.join())
  const { data, error } = useApi(
    'getIpRestriction',
    { merchantID, ...(tried === '' ? {} : { ipAddresses: tried.split(',') }) },
    { keepsPreviousData: true },
  )
  // An invalid list is reported only when the user saves it, not while typing.
  if (error !== null) return null
  if (data === undefined || tried === '')
    return <Notice tone="note">Your current address: {data?.yourAddress ?? 'loading'}.</Notice>
  return data.locksYouOut ? (
    <Notice tone="warn" title="Your current address is not in the list">
      As soon as you save, requests with the key from {data.yourAddress} are rejected with 403.
    </Notice>
  ) : (
    <Notice tone="good">Your current address, {data.yourAddress}, is in the list.</Notice>
  )
}

/** Returns the errors of invalid entries, each with the typed text instead of its index. */
function entryError(error: Error, entries: readonly string[]): string {
  if (!(error instanceof CofferError) || error.errors.length === 0) return errorText(error)
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
    done: 'The restriction is in effect.',
    showsError: true,
  })
  const lift = useAction(() => api.liftIpRestriction({ merchantID }), {
    done: 'The key may be used from any address again.',
    showsError: true,
    onDone: () => setLifting(false),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    restrict.mutate(undefined)
  }
  return (
    <Card title="Restriction">
      <form className="grid max-w-xl gap-4" onSubmit={submit}>
        <TextAreaField
          label="Addresses"
          hint="One per line: an address, or a range such as 203.0.113.0/24. IPv4 and IPv6."
          rows={5}
          value={text}
          onValue={setText}
          spellCheck={false}
          className="font-mono"
          error={restrict.error === null ? undefined : entryError(restrict.error, ipAddresses)}
        />
        <YourAddress ipAddresses={ipAddresses} />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" isBusy={restrict.isPending} disabled={ipAddresses.length === 0}>
            Restrict to these addresses
          </Button>
          {entries.length > 0 && (
            <Button variant="secondary" onClick={() => setLifting(true)}>
              Remove restriction
            </Button>
          )}
        </div>
      </form>
      <ConfirmDialog
        isOpen={isLifting}
        onOpen={setLifting}
        title="Remove the restriction?"
        description="The key may then be used from any address."
        word="remove"
        action="Remove restriction"
        {...confirmed(lift)}
      />
    </Card>
  )
}
