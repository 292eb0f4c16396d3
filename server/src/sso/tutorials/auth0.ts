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
          'Sign in to the Auth0 Dashboard, choose your tenant, and go to:',
          'Connectez-vous au tableau de bord Auth0, choisissez votre locataire, puis allez à\u00a0:',
        ),
        path('Applications', 'Applications', 'Create Application', 'Regular Web Applications'),
        text(
          'Give it a name that your users know, and click **Create**.',
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
          'The add-on identifies us by this entity ID. The settings in the next step already contain it.',
          'Le module nous désigne par cet identifiant d’entité. Il figure déjà dans les réglages de l’étape suivante.',
        ),
        copy('audience', 'entity_id'),
      ],
    },
    {
      id: 'settings',
      title: words('Replace the settings', 'Remplacer les réglages'),
      blocks: [
        text(
          'Replace everything under **Settings** with this, then click **Enable** at the end of the page:',
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
          'In the settings that Auth0 suggests, every line starts with // and has no effect.',
          'Dans les réglages que propose Auth0, chaque ligne commence par // et n’a aucun effet.',
        ),
      ],
    },
    {
      id: 'attributes',
      title: words('What Auth0 sends', 'Ce qu’envoie Auth0'),
      blocks: [
        text(
          'There is nothing to do here: the add-on sends these attributes automatically, filled from the user’s profile.',
          'Il n’y a rien à faire ici\u00a0: le module envoie ces attributs automatiquement, à partir du profil de l’utilisateur.',
        ),
        attributes(
          [`${wsFederationClaim}/emailaddress`, 'email'],
          [`${wsFederationClaim}/givenname`, 'given_name'],
          [`${wsFederationClaim}/surname`, 'family_name'],
        ),
        text(
          'Under **Connections** of the application, choose the databases and directories whose users can sign in.',
          'Sous **Connections** de l’application, choisissez les bases et les annuaires dont les utilisateurs peuvent se connecter.',
        ),
      ],
    },
    {
      id: 'metadata',
      title: words('Download the metadata', 'Télécharger les métadonnées'),
      blocks: [
        path(yours.app, 'Addons', 'SAML2 Web App', 'Usage', 'Identity Provider Metadata', 'Download'),
        text(
          'Do not change the file: you upload it on the next page.',
          'Ne modifiez pas le fichier\u00a0: vous le déposerez à la page suivante.',
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
      'signResponse signs either the response or the assertion, never both. Either works.',
      'signResponse signe soit la réponse, soit l’assertion, jamais les deux. L’un comme l’autre fonctionne.',
    ),
  ],
}
