/** What schemas say of values (contract/src/core/fault-messages.ts), with its French form. */
const sentences: readonly (readonly [RegExp, string])[] = [
  [/^is required$/, 'est obligatoire'],
  [/^must be text$/, 'doit être un texte'],
  [/^must be a number$/, 'doit être un nombre'],
  [/^must be a whole number$/, 'doit être un nombre entier'],
  [/^must be a whole number from (.+) to (.+)$/, 'doit être un nombre entier de $1 à $2'],
  [/^must be true or false$/, 'doit être oui ou non'],
  [/^must be a list$/, 'doit être une liste'],
  [/^must be an object$/, 'doit être un objet JSON'],
  [/^must be one of (.+)$/, 'doit être l’une de ces valeurs : $1'],
  [/^must be at least (.+)$/, 'doit être au moins $1'],
  [/^must be at most (.+)$/, 'doit être au plus $1'],
  [/^must have at least (\S+) (?:characters?)$/, 'doit avoir au moins $1 caractères'],
  [/^must have at most (\S+) (?:characters?)$/, 'doit avoir au plus $1 caractères'],
  [/^must have at least (\S+) (?:items?)$/, 'doit avoir au moins $1 éléments'],
  [/^must have at most (\S+) (?:items?)$/, 'doit avoir au plus $1 éléments'],
  [/^must have (\S+) to (\S+) characters$/, 'doit avoir de $1 à $2 caractères'],
  [/^must have a character that is not a space$/, 'doit contenir autre chose que des espaces'],
  [/^must have a character that can be seen$/, 'doit contenir un caractère visible'],
  [/^must be an e-mail address such as (.+)$/, 'doit être une adresse e-mail, par exemple $1'],
  [/^must be a domain such as (.+)$/, 'doit être un domaine, par exemple $1'],
  [/^must be an https URL without user name or password$/, 'doit être une URL https sans identifiants'],
  [/^must be a UUID$/, 'doit être un UUID'],
  [
    /^must be lower-case words joined by dashes$/,
    'doit être fait de minuscules et de chiffres, séparés par des tirets',
  ],
  [
    /^must be a BCP 47 language tag such as (.+) or (.+)$/,
    'doit être un code de langue, par exemple $1 ou $2',
  ],
  [/^must be an IANA time zone such as (.+), or UTC$/, 'doit être un fuseau horaire, par exemple $1 ou UTC'],
  [/^must be in E\.164 form, such as (.+)$/, 'doit être un numéro international, par exemple $1'],
  [/^must be a date and time such as (.+)$/, 'doit être une date et une heure, par exemple $1'],
  [/^must be a date such as (.+)$/, 'doit être une date, par exemple $1'],
  [/^must be a date that exists$/, 'doit être une date qui existe'],
  [/^must be an ISO 3166-1 alpha-2 code such as (.+)$/, 'doit être un code de pays, par exemple $1'],
]

/** The French form of what is wrong with a value; as it is where there is none. */
export function faultInFrench(message: string): string {
  for (const [pattern, french] of sentences)
    if (pattern.test(message)) return message.replace(pattern, french)
  return message
}
