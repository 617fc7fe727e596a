import type { components } from 'coffer-sdk'
import { useState } from 'react'
import { CheckField, SelectField, TextField } from '../../../design/field.tsx'
import { api, fieldError } from '../../client.ts'
import { useNetworkTitles } from '../../methods.tsx'
import { AddDialog } from './add-dialog.tsx'
import { isTokenOf } from './entry-facts.ts'
import { filled } from './filled.ts'
import { tokenCommand } from './host-commands.ts'

type EvmNetwork = components['schemas']['EvmNetwork']

const empty = {
  network: '',
  contract: '',
  decimals: '',
  symbol: '',
  name: '',
  minimum: '',
  depositMax: '',
  isStable: false,
  isCreditable: false,
}
type Draft = typeof empty

/** Adds a token on a network that has nodes. */
export function AddTokenDialog({ networks, onClose }: { networks: readonly EvmNetwork[]; onClose(): void }) {
  const titleOf = useNetworkTitles()
  const followed = networks.filter(({ isFollowed }) => isFollowed)
  const [draft, setDraft] = useState<Draft>({ ...empty, network: followed[0]?.name ?? '' })
  const set = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))
  return (
    <AddDialog
      title="Add token"
      description="The nodes are asked first. A transfer is tried without sending one."
      command={commandOf(draft)}
      propose={() => api.proposeToken({ body: bodyOf(draft) })}
      isMeant={(text) => isTokenOf(text, bodyOf(draft))}
      fields={['network', 'contract', 'decimals', 'symbol', 'name', 'minimum', 'depositMax']}
      onClose={onClose}
    >
      {(error) => (
        <>
          <SelectField
            label="Network"
            value={draft.network}
            onValue={(network) => set({ network })}
            options={followed.map(({ name }) => ({ value: name, label: titleOf(name) }))}
            error={fieldError(error, 'network')}
          />
          <TokenFields draft={draft} error={error} onDraft={set} />
        </>
      )}
    </AddDialog>
  )
}

interface FieldsProps {
  readonly draft: Draft
  readonly error: Error | null
  onDraft(part: Partial<Draft>): void
}

function TokenFields({ draft, error, onDraft }: FieldsProps) {
  const field = (name: keyof Draft & string) => ({
    value: String(draft[name]),
    onValue: (value: string) => onDraft({ [name]: value }),
    error: fieldError(error, name),
    autoComplete: 'off',
    spellCheck: false,
  })
  return (
    <>
      <TextField
        label="Contract"
        {...field('contract')}
        required
        hint="Copy the address from the issuer’s own page."
      />
      <TextField
        label="Decimals"
        {...field('decimals')}
        required
        inputMode="numeric"
        pattern="[0-9]{1,2}"
        hint="As the issuer’s page or the explorer states them. Every node must say the same."
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="Symbol" {...field('symbol')} hint="Empty: as the contract says." />
        <TextField label="Name" {...field('name')} hint="Empty: as the contract says." />
        <TextField label="Minimum deposit" {...field('minimum')} inputMode="decimal" placeholder="1" />
        <TextField
          label="Maximum deposit"
          {...field('depositMax')}
          inputMode="decimal"
          placeholder="1000000000"
          hint="Larger deposits are quarantined."
        />
      </div>
      <CheckField
        label="The price hardly moves (stablecoin)"
        isChecked={draft.isStable}
        onCheck={(isStable) => onDraft({ isStable })}
      />
      <CheckField
        label="Merchants may credit payments in it that an invoice does not offer"
        isChecked={draft.isCreditable}
        onCheck={(isCreditable) => onDraft({ isCreditable })}
      />
    </>
  )
}

function bodyOf({ network, contract, decimals, isStable, isCreditable, ...texts }: Draft) {
  return {
    network,
    contract: contract.trim(),
    decimals: Number(decimals),
    isStable,
    isCreditable,
    ...filled(texts),
  }
}

function commandOf({ network, contract, ...draft }: Draft): string {
  return tokenCommand(network, contract.trim(), [
    ['decimals', draft.decimals],
    ['symbol', draft.symbol.trim()],
    ['name', draft.name.trim()],
    ['minimum', draft.minimum.trim()],
    ['deposit-max', draft.depositMax.trim()],
    ['stable', draft.isStable],
    ['creditable', draft.isCreditable],
  ])
}
