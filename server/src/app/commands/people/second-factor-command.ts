import { resetFactor } from '../../../merchants/accounts/second-factor/reset-second-factor.ts'
import { type Command, UsageError } from '../command.ts'
import { withMethods } from '../operator-context.ts'
import { readWords } from '../read-words.ts'

export const secondFactorCommand: Command = {
  usage: 'off <email>',
  help: [
    'coffer second-factor off <email>   logins of that account need the password only, until a second factor is set up again',
    '',
    'Ends all its sessions and revokes its API access tokens; the API keys of its merchants stay valid. First make sure that',
    'the request comes from the owner of the account. Works while Coffer is running and while it is stopped.',
  ],
  run: async (words, terminal) => {
    const [verb, email] = readWords(words, { positionals: 2 }).positionals
    if (verb !== 'off' || email === undefined) throw new UsageError('expected "off" and an email')
    return withMethods(terminal, async ({ db }) => {
      const outcome = await resetFactor(db, email)
      if (outcome === 'reset') terminal.print(`The second factor of ${email} is disabled.`)
      else
        terminal.note(
          outcome === 'unknown' ? `There is no account ${email}.` : `${email} has no second factor.`,
        )
      return outcome === 'reset' ? 0 : 1
    })
  },
}
