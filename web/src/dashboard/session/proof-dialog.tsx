import { CofferError } from 'coffer-sdk'
import { type FormEvent, useEffect, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { TextField } from '../../design/field.tsx'
import { Notice } from '../../design/notice.tsx'
import { api, fieldError, formError } from '../client.ts'
import { useAction } from '../use-api.ts'
import type { Session } from './use-session.ts'
import { askForProofBy } from './with-proof.ts'

type Answer = (proof: string | undefined) => void

/**
 * Asks for the password or a code if an action needs a session proof. The dialog is mounted on every page.
 */
export function ProofDialog({ session }: { session: Session }) {
  const [answer, setAnswer] = useState<Answer>()
  useEffect(() => {
    askForProofBy(() => new Promise((resolve) => setAnswer(() => resolve)))
    return () => askForProofBy(async () => undefined)
  }, [])
  if (answer === undefined) return null
  const end: Answer = (proof) => {
    setAnswer(undefined)
    answer(proof)
  }
  return (
    <Dialog
      isOpen
      onOpen={() => end(undefined)}
      title="Confirm that it is you"
      description="This action sends money, or lets somebody send it."
    >
      <ProofForm hasSecondFactor={session.account.hasSecondFactor} onAnswer={end} />
    </Dialog>
  )
}

function ProofForm({ hasSecondFactor, onAnswer }: { hasSecondFactor: boolean; onAnswer: Answer }) {
  const [typed, setTyped] = useState('')
  const [needsCode, setNeedsCode] = useState(hasSecondFactor)
  const prove = useAction(
    () => api.proveDashboardSession({ body: needsCode ? { code: typed.trim() } : { password: typed } }),
    {
      showsError: true,
      onDone: ({ proof }) => onAnswer(proof),
      onFailure: (error) => {
        setTyped('')
        // The second factor was enabled elsewhere after this page was opened.
        if (error instanceof CofferError && error.code === 'two-factor-required') setNeedsCode(true)
      },
    },
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    prove.mutate(undefined)
  }
  const error = formError(prove.error, 'password')
  return (
    <form className="grid gap-4" onSubmit={submit}>
      {needsCode ? (
        <TextField
          label="Code"
          value={typed}
          onValue={setTyped}
          autoComplete="one-time-code"
          hint="The six digits that your app shows, or a recovery code."
          required
        />
      ) : (
        <TextField
          label="Password"
          type="password"
          value={typed}
          onValue={setTyped}
          autoComplete="current-password"
          error={fieldError(prove.error, 'password')}
          required
        />
      )}
      {error !== undefined && <Notice tone="bad">{error}</Notice>}
      <div className="flex justify-end gap-2">
        <Button variant="secondary" onClick={() => onAnswer(undefined)}>
          Cancel
        </Button>
        <Button type="submit" isBusy={prove.isPending}>
          Confirm
        </Button>
      </div>
    </form>
  )
}
