import type { SessionTexts } from '../en/sessions.js'

export const sessions: SessionTexts = {
  sessions: {
    heading: 'Vos appareils connectés',
    sentence: 'Si vous ne reconnaissez pas un appareil, déconnectez-le et changez votre mot de passe.',
    current: 'Cet appareil',
    onSystem: (browser, system) => `${browser} sur ${system}`,
    unknownDevice: 'Appareil inconnu',
    lastUsed: (when) => `Dernière utilisation\u00a0: ${when}`,
    signedIn: (when) => `Connexion\u00a0: ${when}`,
    end: 'Déconnecter',
    endOthers: 'Déconnecter tous les autres appareils',
    signOut: 'Se déconnecter de cet appareil',
    onlyOne: 'Vous n’êtes connecté sur aucun autre appareil.',
  },
  signOut: {
    heading: 'Se déconnecter\u00a0?',
    sentence: (organization) => `Vous serez déconnecté de ${organization} dans ce navigateur.`,
    button: 'Se déconnecter',
    doneHeading: 'Vous êtes déconnecté',
    done: 'Vous pouvez fermer cette page.',
  },
}
