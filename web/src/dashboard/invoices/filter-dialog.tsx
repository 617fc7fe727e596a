import { type FormEvent, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { CheckField, SelectField, TextField } from '../../design/field.tsx'
import { useMerchant } from '../merchant/merchant-area.tsx'
import { collectStates, type InvoiceSearch, invoiceStates, invoiceTypes } from './invoice-filters.ts'
import { typeNames } from './invoice-words.ts'

interface FilterProps {
  readonly search: InvoiceSearch
  onSearch(search: InvoiceSearch): void
  onClose(): void
}

/** Shows all filters of the invoice list. The list is loaded again only when the user applies them. */
export function FilterDialog({ search, onSearch, onClose }: FilterProps) {
  const { methods } = useMerchant()
  const [draft, setDraft] = useState<InvoiceSearch>(search)
  const set = (part: Partial<Record<keyof InvoiceSearch, unknown>>) =>
    setDraft((before) => tidied({ ...before, ...part }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const { page: _, ...filters } = draft
    onSearch(filters)
    onClose()
  }
  const symbols = [...new Set(methods.map(({ symbol }) => symbol))]
  return (
    <Dialog isOpen onOpen={onClose} title="Filter invoices">
      <form className="grid gap-4" onSubmit={submit}>
        <Choices
          title="State"
          options={invoiceStates}
          chosen={draft.states}
          onChoose={(states) => set({ states })}
        />
        <Choices
          title="Type"
          options={invoiceTypes}
          nameOf={(type) => typeNames[type]}
          chosen={draft.types}
          onChoose={(types) => set({ types })}
        />
        <Choices
          title="Payment method"
          options={symbols}
          chosen={draft.tokens}
          onChoose={(tokens) => set({ tokens })}
        />
        <Choices
          title="Collection state"
          options={collectStates}
          chosen={draft.collectStates}
          onChoose={(chosen) => set({ collectStates: chosen })}
        />
        <Bounds draft={draft} onSet={set} />
        <Screened draft={draft} onSet={set} />
        <div className="flex justify-between gap-2">
          <Button variant="quiet" onClick={() => setDraft({})}>
            Clear all
          </Button>
          <Button type="submit">Apply filters</Button>
        </div>
      </form>
    </Dialog>
  )
}

function Bounds({
  draft,
  onSet,
}: {
  draft: InvoiceSearch
  onSet(part: Partial<Record<keyof InvoiceSearch, unknown>>): void
}) {
  return (
    <div className="grid grid-cols-2 gap-3">
      <TextField
        label="Minimum amount (USD)"
        inputMode="decimal"
        value={draft.amountFrom ?? ''}
        onValue={(amountFrom) => onSet({ amountFrom })}
      />
      <TextField
        label="Maximum amount (USD)"
        inputMode="decimal"
        value={draft.amountTo ?? ''}
        onValue={(amountTo) => onSet({ amountTo })}
      />
      <TextField
        label="Created from"
        type="date"
        value={draft.dateFrom ?? ''}
        onValue={(dateFrom) => onSet({ dateFrom })}
      />
      <TextField
        label="Created to"
        type="date"
        value={draft.dateTo ?? ''}
        onValue={(dateTo) => onSet({ dateTo })}
      />
    </div>
  )
}

function Screened({
  draft,
  onSet,
}: {
  draft: InvoiceSearch
  onSet(part: Partial<Record<keyof InvoiceSearch, unknown>>): void
}) {
  return (
    <>
      <SelectField
        label="Screening"
        value={draft.amlOk === undefined ? '' : String(draft.amlOk)}
        onValue={(value) => onSet({ amlOk: value === '' ? undefined : value === 'true' })}
        options={[
          { value: '', label: 'All' },
          { value: 'true', label: 'Passed' },
          { value: 'false', label: 'Did not pass' },
        ]}
      />
      <CheckField
        label="Include archived invoices"
        isChecked={draft.showArchived === true}
        onCheck={(isChecked) => onSet({ showArchived: isChecked ? true : undefined })}
      />
    </>
  )
}

interface ChoicesProps<T extends string> {
  readonly title: string
  readonly options: readonly T[]
  readonly chosen: readonly string[] | undefined
  /** The label of an option, if it differs from its value. */
  nameOf?(option: T): string
  onChoose(chosen: readonly string[]): void
}

function Choices<T extends string>({
  title,
  options,
  chosen = [],
  nameOf = (option) => option,
  onChoose,
}: ChoicesProps<T>) {
  return (
    <fieldset className="grid gap-1.5">
      <legend className="mb-1.5 font-medium">{title}</legend>
      <div className="flex flex-wrap gap-x-4 gap-y-2">
        {options.map((option) => (
          <CheckField
            key={option}
            label={<span className="inline-block first-letter:uppercase">{nameOf(option)}</span>}
            isChecked={chosen.includes(option)}
            onCheck={(isChecked) =>
              onChoose(isChecked ? [...chosen, option] : chosen.filter((one) => one !== option))
            }
          />
        ))}
      </div>
    </fieldset>
  )
}

/** Removes empty filters, so that searches with the same filters compare as equal. */
function tidied(search: Readonly<Record<string, unknown>>): InvoiceSearch {
  return Object.fromEntries(
    Object.entries(search).filter(
      ([, value]) => value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0),
    ),
  )
}
