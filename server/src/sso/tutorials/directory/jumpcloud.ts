import { copy, path, settings, text, warn, words, yours } from '../blocks.js'
import type { DirectoryTutorial } from '../tutorial.js'

export const jumpcloudDirectory: DirectoryTutorial = {
  id: 'jumpcloud',
  name: 'JumpCloud',
  mark: 'JC',
  minutes: 10,
  checkedOn: '2026-11-22',
  steps: [
    {
      id: 'connect',
      title: words('Connect JumpCloud to us', 'Relier JumpCloud à nous'),
      blocks: [
        text(
          'Open the custom application by which your users sign in here, or create one by **Add New Application**, **Custom Application**, **Export users to this app (Identity Management)**. Then:',
          'Ouvrez l’application personnalisée par laquelle vos utilisateurs se connectent ici, ou créez-en une par **Add New Application**, **Custom Application**, **Export users to this app (Identity Management)**. Puis\u00a0:',
        ),
        path('SSO Applications', yours.app, 'Identity Management', 'Configure'),
        settings(['API Type', 'SCIM API'], ['SCIM Version', 'SCIM 2.0']),
        copy('Base URL', 'scim_base_url'),
        text(
          'Enter the secret of this page as **Token Key**, and an address of your domain as **Test User Email**.',
          'Saisissez le secret de cette page comme **Token Key**, et une adresse de votre domaine comme **Test User Email**.',
        ),
      ],
    },
    {
      id: 'activate',
      title: words('Test and activate', 'Tester et activer'),
      blocks: [
        text(
          'Press **Test Connection**, then **Activate**, then **Save**. The test makes a test user and a test group, changes them and deletes them again.',
          'Cliquez sur **Test Connection**, puis **Activate**, puis **Save**. Le test crée un utilisateur et un groupe de test, les modifie et les supprime.',
        ),
        warn(
          'The address of the test user must not be one of a real user here: it would be refused as taken.',
          'L’adresse de l’utilisateur de test ne doit pas être celle d’un vrai utilisateur ici\u00a0: elle serait refusée comme déjà prise.',
        ),
      ],
    },
    {
      id: 'assign',
      title: words('Choose groups of users', 'Choisir des groupes d’utilisateurs'),
      blocks: [
        text(
          'Tick **Enable management of User Groups and Group Membership in this application** if groups should reach the application, and choose the groups whose members are to be here:',
          'Cochez **Enable management of User Groups and Group Membership in this application** si les groupes doivent parvenir à l’application, et choisissez les groupes dont les membres doivent être ici\u00a0:',
        ),
        path('SSO Applications', yours.app, 'User Groups'),
      ],
    },
  ],
  quirks: [],
}
