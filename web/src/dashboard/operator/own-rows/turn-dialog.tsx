import { useState } from 'react'
import { ConfirmDialog } from '../../../design/dialog.tsx'
import { api, errorText } from '../../client.ts'
import { ShownError } from '../../shown-error.ts'
import { useAction } from '../../use-api.ts'
import { isStateOf } from './entry-facts.ts'
import { signAndAdd } from './sign-and-add.ts'
import { keyError, SignFields } from './sign-fields.tsx'

/** The row to enable or disable. */
export interface Turn {
  readonly kind: 'network' | 'token'
  /** The name of a network, or the network and the symbol of a token. */
  readonly name: string
  readonly isEnabled: boolean
}

const meaning = {
  enable: 'New invoices offer it again.',
  disable:
    'New invoices and addresses do not offer it. Payments to addresses that were given out are still credited and swept, and merchants can withdraw their balances.',
}

/** Enables or disables a row by an entry of one line. */
export function TurnDialog({
  turn,
  canSignHere,
  onClose,
}: {
  turn: Turn
  canSignHere: boolean
  onClose(): void
}) {
  const [file, setFile] = useState<File>()
  const verb = turn.isEnabled ? 'enable' : 'disable'
  const action = useAction(
    async () => {
      const { entry } = await api.proposeRowState({ body: { ...turn } })
      const text = entry?.text ?? ''
      if (!isStateOf(text, turn))
        throw new ShownError('The server proposed another change, so nothing was signed.')
      return signAndAdd(api, file, { text, nodes: null })
    },
    { done: `${turn.name} is ${verb}d.`, showsError: true, onDone: onClose },
  )
  const { error } = action
  return (
    <ConfirmDialog
      isOpen
      onOpen={onClose}
      title={`${turn.isEnabled ? 'Enable' : 'Disable'} ${turn.name}`}
      description={
        turn.kind === 'network' && !turn.isEnabled ? `${meaning[verb]} ${ofTokens}` : meaning[verb]
      }
      word={verb}
      action={turn.isEnabled ? 'Enable' : 'Disable'}
      isBusy={action.isPending}
      error={error === null || keyError(error) !== undefined ? undefined : errorText(error)}
      onConfirm={() => action.mutate(undefined)}
    >
      <SignFields
        file={file}
        onFile={setFile}
        error={error}
        command={`coffer ${turn.kind}s ${verb} ${turn.name}`}
        canSignHere={canSignHere}
      />
    </ConfirmDialog>
  )
}

const ofTokens = 'The same holds for all tokens on the network.'
