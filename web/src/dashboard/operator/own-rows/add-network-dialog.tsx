import { type ComponentProps, useState } from 'react'
import { CheckField, TextAreaField, TextField } from '../../../design/field.tsx'
import { api } from '../../client.ts'
import { AddDialog } from './add-dialog.tsx'
import { isNetworkOf } from './entry-facts.ts'
import { errorOf } from './field-errors.ts'
import { filled } from './filled.ts'
import { networkCommand } from './host-commands.ts'

const empty = {
  name: '',
  title: '',
  chainID: '',
  nodeURLs: '',
  coin: '',
  explorer: '',
  coinName: '',
  explorerName: '',
  walletRPC: '',
  confirmations: '',
  minimum: '',
  depositMax: '',
  maxFee: '',
  minTip: '',
  maxTip: '',
  feeModel: '',
  coldAddress: '',
  gasBudget: '',
  typicalFee: '',
  mirrors: '',
  isStable: false,
  isCreditable: false,
}
type Draft = typeof empty
type Name = keyof Draft & string

/** Adds an EVM network with its nodes. */
export function AddNetworkDialog({ onClose }: { onClose(): void }) {
  const [draft, setDraft] = useState<Draft>(empty)
  const set = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))
  return (
    <AddDialog
      title="Add network"
      description="Every node is asked first. A network cannot be changed or removed later, only disabled."
      command={commandOf(draft)}
      propose={() => api.proposeNetwork({ body: bodyOf(draft) })}
      isMeant={(text) => isNetworkOf(text, meantBy(draft))}
      fields={[...mainNames, ...more.map(([name]) => name)]}
      onClose={onClose}
    >
      {(error) => (
        <>
          <MainFields draft={draft} error={error} onDraft={set} />
          <MoreFields draft={draft} error={error} onDraft={set} />
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

function fieldsOf({ draft, error, onDraft }: FieldsProps) {
  return (name: Name) => ({
    value: String(draft[name]),
    onValue: (value: string) => onDraft({ [name]: value }),
    error: errorOf(error, name),
    autoComplete: 'off',
    spellCheck: false,
  })
}

function MainFields(props: FieldsProps) {
  const field = fieldsOf(props)
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Name"
          {...field('name')}
          required
          hint="For commands and settings, such as scroll."
        />
        <TextField label="Title" {...field('title')} required hint="Payers see it." />
        <TextField
          label="Chain ID"
          {...field('chainID')}
          required
          inputMode="numeric"
          pattern="[0-9]{1,16}"
        />
        <TextField label="Coin" {...field('coin')} required hint="Its symbol, such as ETH." />
      </div>
      <TextAreaField
        label="Node URLs"
        {...field('nodeURLs')}
        error={errorOf(props.error, 'nodeURLs', 'URL')}
        required
        rows={2}
        hint="One in each line. They are stored encrypted."
      />
      <TextField label="Explorer" {...field('explorer')} required placeholder="https://" />
    </>
  )
}

/** The fields of `MainFields`. */
const mainNames: readonly Name[] = ['name', 'title', 'chainID', 'coin', 'nodeURLs', 'explorer']

const more: readonly (readonly [
  name: Name,
  label: string,
  more: Partial<ComponentProps<typeof TextField>>,
])[] = [
  ['confirmations', 'Confirmations', { placeholder: '20,60,240', hint: 'Up to 100 USD, 10,000 USD, above.' }],
  ['minimum', 'Minimum deposit', { placeholder: '0.0005', inputMode: 'decimal' }],
  ['depositMax', 'Maximum deposit', { placeholder: '1000000', inputMode: 'decimal' }],
  ['typicalFee', 'Typical fee', { placeholder: '0.01', inputMode: 'decimal', suffix: 'USD' }],
  ['maxFee', 'Highest gas price', { placeholder: '500', inputMode: 'decimal', suffix: 'gwei' }],
  ['minTip', 'Lowest priority fee', { placeholder: '0.001', inputMode: 'decimal', suffix: 'gwei' }],
  ['maxTip', 'Highest priority fee', { placeholder: '20', inputMode: 'decimal', suffix: 'gwei' }],
  [
    'gasBudget',
    'Gas budget in 24 h',
    { hint: 'Empty: 500 times the smallest deposit.', inputMode: 'decimal' },
  ],
  ['coinName', 'Name of the coin', { hint: 'Empty: its symbol.' }],
  ['explorerName', 'Name of the explorer', { hint: 'Empty: its host.' }],
  ['feeModel', 'Fee model', { hint: 'Empty: as the nodes show.' }],
  ['walletRPC', 'Node for payers’ wallets', { hint: 'Payers see it.' }],
  ['coldAddress', 'Cold address', { hint: 'For treasury withdrawals.' }],
  ['mirrors', 'Mirrors of the coin', { hint: 'Contracts, comma-separated.' }],
]

function MoreFields(props: FieldsProps) {
  const field = fieldsOf(props)
  const { draft, onDraft } = props
  const isWrong = more.some(([name]) => field(name).error !== undefined)
  return (
    <details {...(isWrong && { open: true })}>
      <summary className="cursor-pointer font-medium">More fields, with defaults</summary>
      <div className="mt-3 grid gap-4">
        <div className="grid gap-4 sm:grid-cols-2">
          {more.map(([name, label, rest]) => (
            <TextField key={name} label={label} {...rest} {...field(name)} />
          ))}
        </div>
        <CheckField
          label="The price of the coin hardly moves"
          isChecked={draft.isStable}
          onCheck={(isStable) => onDraft({ isStable })}
        />
        <CheckField
          label="Merchants may credit payments in the coin that an invoice does not offer"
          isChecked={draft.isCreditable}
          onCheck={(isCreditable) => onDraft({ isCreditable })}
        />
      </div>
    </details>
  )
}

function listOf(text: string, separator: RegExp): readonly string[] {
  return text
    .split(separator)
    .map((one) => one.trim())
    .filter((one) => one !== '')
}

function bodyOf(draft: Draft) {
  const { name, title, chainID, nodeURLs, coin, explorer, confirmations, mirrors, ...rest } = draft
  const { isStable, isCreditable, ...texts } = rest
  return {
    name: name.trim(),
    title: title.trim(),
    chainID: Number(chainID),
    nodeURLs: [...listOf(nodeURLs, /\s+/)],
    coin: coin.trim(),
    explorer: explorer.trim(),
    isStable,
    isCreditable,
    ...filled(texts),
    ...(confirmations.trim() !== '' && { confirmations: listOf(confirmations, /,/).map(Number) }),
    ...(mirrors.trim() !== '' && { mirrors: [...listOf(mirrors, /,/)] }),
  }
}

/** What the entry must say, whatever the server proposes. */
function meantBy(draft: Draft) {
  const { name, chainID: chainId, coldAddress } = bodyOf(draft)
  return { name, chainId, coldAddress }
}

function commandOf(draft: Draft): string {
  return networkCommand(draft.name.trim(), [
    ['rpc', listOf(draft.nodeURLs, /\s+/).join(',')],
    ['title', draft.title.trim()],
    ['chain-id', draft.chainID.trim()],
    ['coin', draft.coin.trim()],
    ['explorer', draft.explorer.trim()],
    ['coin-name', draft.coinName.trim()],
    ['explorer-name', draft.explorerName.trim()],
    ['wallet-rpc', draft.walletRPC.trim()],
    ['confirmations', draft.confirmations.trim()],
    ['minimum', draft.minimum.trim()],
    ['deposit-max', draft.depositMax.trim()],
    ['max-fee', draft.maxFee.trim()],
    ['min-tip', draft.minTip.trim()],
    ['max-tip', draft.maxTip.trim()],
    ['fee-model', draft.feeModel.trim()],
    ['cold-address', draft.coldAddress.trim()],
    ['gas-budget', draft.gasBudget.trim()],
    ['typical-fee', draft.typicalFee.trim()],
    ['mirror', draft.mirrors.trim()],
    ['stable', draft.isStable],
    ['creditable', draft.isCreditable],
  ])
}
