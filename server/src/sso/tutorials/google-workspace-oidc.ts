import { copy, path, settings, text, warn, words } from './blocks.js'
import type { OidcTutorial } from './tutorial.js'

export const googleWorkspaceOidc: OidcTutorial = {
  id: 'google_workspace',
  name: 'Google Workspace',
  mark: 'G',
  minutes: 15,
  checkedOn: '2026-11-22',
  steps: [
    {
      id: 'project',
      title: words('Prepare a project', 'Préparer un projet'),
      blocks: [
        text(
          'Sign in to the Google Cloud console with an account of your organization, choose or create a project of your organization, and go to:',
          'Connectez-vous à la console Google Cloud avec un compte de votre organisation, choisissez ou créez un projet de votre organisation, puis allez à\u00a0:',
        ),
        path('APIs & Services', 'OAuth consent screen', 'Google Auth Platform', 'Get started'),
        settings(
          ['App name', '…'],
          ['User support email', '…'],
          ['Audience', 'Internal'],
          ['Contact information', '…'],
        ),
        warn(
          '**Internal** limits sign-ins to your organization. If this choice is missing, the project does not belong to an organization.',
          '**Internal** limite la connexion à votre organisation. Si ce choix manque, le projet n’appartient à aucune organisation.',
        ),
      ],
    },
    {
      id: 'client',
      title: words('Create the client', 'Créer le client'),
      blocks: [
        path('Google Auth Platform', 'Clients', 'Create client'),
        settings(['Application type', 'Web application']),
        text(
          'Under **Authorized redirect URIs**, click **Add URI** and enter:',
          'Sous **Authorized redirect URIs**, cliquez sur **Add URI** et saisissez\u00a0:',
        ),
        copy('Authorized redirect URIs', 'redirect_uri'),
        text('Click **Create**.', 'Cliquez sur **Create**.'),
      ],
    },
    {
      id: 'values',
      title: words('Copy ID and secret', 'Copier l’identifiant et le secret'),
      blocks: [
        text(
          'Google shows **Client ID** and **Client secret**. Copy both, or click **Download JSON**: the secret is shown only once. You enter both on the next page.',
          'Google affiche **Client ID** et **Client secret**. Copiez les deux, ou cliquez sur **Download JSON**\u00a0: le secret n’est affiché qu’une fois. Vous saisirez les deux à la page suivante.',
        ),
        warn(
          'Google takes from five minutes to a few hours to accept a new redirect URI. Until then, the test ends at Google with redirect_uri_mismatch.',
          'Google met de cinq minutes à quelques heures pour accepter une nouvelle URI de redirection. D’ici là, le test s’arrête chez Google avec redirect_uri_mismatch.',
        ),
      ],
    },
  ],
  client: {
    issuerExample: 'https://accounts.google.com',
    issuer: words('The same for all Google customers.', 'Le même pour tous les clients de Google.'),
    clientId: words(
      'Ends with **.apps.googleusercontent.com**.',
      'Se termine par **.apps.googleusercontent.com**.',
    ),
    clientSecret: words('Begins with **GOCSPX-**.', 'Commence par **GOCSPX-**.'),
  },
  claims: { email: ['email'], given_name: ['given_name'], family_name: ['family_name'], subject: 'sub' },
  quirks: [
    words(
      'Personal Google accounts and accounts of other organizations are refused: the domain that Google reports must be one of yours.',
      'Les comptes Google personnels, et ceux d’autres organisations, sont refusés\u00a0: le domaine que Google indique doit être l’un des vôtres.',
    ),
    words(
      'Everyone in your organization can sign in. To limit this to some users, choose SAML instead, or block the client for others in the Google Admin console under **Security**, **Access and data control**, **API controls**, **App access control**.',
      'Toute votre organisation peut se connecter. Pour la réserver à certains utilisateurs, choisissez plutôt SAML, ou bloquez le client pour les autres dans la console d’administration Google sous **Security**, **Access and data control**, **API controls**, **App access control**.',
    ),
  ],
}
