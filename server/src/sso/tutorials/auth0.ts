import { attributes, copy, path, snippet, text, warn, words, yours } from './blocks.js'
import { wsFederationClaim, wsFederationNames } from './claim-names.js'
import type { Tutorial } from './tutorial.js'

export const auth0: Tutorial = {
  id: 'auth0',
  name: 'Auth0',
  mark: 'A0',
  minutes: 10,
  checkedOn: '2026-11-22',
  steps: [
    {
      id: 'create',
      title: words('Create the application', 'Créer l’application'),
      blocks: [
        text(
          'Sign in to the Auth0 dashboard, choose your tenant, and go to:',
          'Connectez-vous au tableau de bord Auth0, choisissez votre locataire, puis allez à\u00a0:',
        ),
        path('Applications', 'Applications', 'Create Application', 'Regular Web Applications'),
        text(
          'Give it a name that your users know, and press **Create**.',
          'Donnez-lui un nom que vos utilisateurs connaissent, puis **Create**.',
        ),
      ],
    },
    {
      id: 'addon',
      title: words('Turn on the SAML add-on', 'Activer le module SAML'),
      blocks: [
        path(yours.app, 'Addons', 'SAML2 Web App', 'Settings'),
        copy('Application Callback URL', 'acs_url'),
        text(
          'The add-on names us by this entity ID; it is in the settings of the next step already.',
          'Le module nous désigne par cette entité\u00a0; elle figure déjà dans les réglages de l’étape suivante.',
        ),
        copy('audience', 'entity_id'),
      ],
    },
    {
      id: 'settings',
      title: words('Replace the settings', 'Remplacer les réglages'),
      blocks: [
        text(
          'Replace everything under **Settings** by this, then press **Enable** at the end of the page:',
          'Remplacez tout ce qui se trouve sous **Settings** par ceci, puis cliquez sur **Enable** en bas de la page\u00a0:',
        ),
        snippet(
          'Settings',
          `{
  "audience": "{entity_id}",
  "recipient": "{acs_url}",
  "destination": "{acs_url}",
  "signatureAlgorithm": "rsa-sha256",
  "digestAlgorithm": "sha256",
  "signResponse": false,
  "nameIdentifierFormat": "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
  "nameIdentifierProbes": [
    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress"
  ]
}`,
        ),
        warn(
          'In the settings that Auth0 proposes every line begins with //, and is not in force.',
          'Dans les réglages que propose Auth0, chaque ligne commence par // et n’est pas en vigueur.',
        ),
      ],
    },
    {
      id: 'attributes',
      title: words('What Auth0 sends', 'Ce qu’envoie Auth0'),
      blocks: [
        text(
          'Nothing is to be done here: the add-on sends these by itself, filled from the profile of the user.',
          'Rien à faire ici\u00a0: le module envoie ces attributs de lui-même, remplis depuis le profil de l’utilisateur.',
        ),
        attributes(
          [`${wsFederationClaim}/emailaddress`, 'email'],
          [`${wsFederationClaim}/givenname`, 'given_name'],
          [`${wsFederationClaim}/surname`, 'family_name'],
        ),
        text(
          'Under **Connections** of the application, choose which of your databases and directories may sign in.',
          'Sous **Connections** de l’application, choisissez lesquels de vos annuaires peuvent connecter des utilisateurs.',
        ),
      ],
    },
    {
      id: 'metadata',
      title: words('Fetch the metadata', 'Récupérer les métadonnées'),
      blocks: [
        path(yours.app, 'Addons', 'SAML2 Web App', 'Usage', 'Identity Provider Metadata', 'Download'),
        text(
          'Keep the file as it is: on the next page you upload it.',
          'Gardez le fichier tel quel\u00a0: vous le déposez à la page suivante.',
        ),
      ],
    },
  ],
  metadata: {
    how: words(
      'Addons, SAML2 Web App, Usage, Identity Provider Metadata, Download.',
      'Addons, SAML2 Web App, Usage, Identity Provider Metadata, Download.',
    ),
    fileHint: 'metadata.xml',
  },
  claims: { ...wsFederationNames, subject: 'email' },
  quirks: [
    words(
      'signResponse signs either the response or the assertion, never both. Each of the two works.',
      'signResponse signe soit la réponse, soit l’assertion, jamais les deux. L’un comme l’autre fonctionne.',
    ),
  ],
}
