"""glTF 2.0 (.glb, .gltf): parse bytes to a Gltf, which gives skeleton, motions and character, and write them back."""

from komadori.formats.gltf.animations import motion as motion
from komadori.formats.gltf.animations import motion_of as motion_of
from komadori.formats.gltf.animations import motions_of as motions_of
from komadori.formats.gltf.document import Gltf as Gltf
from komadori.formats.gltf.document import Node as Node
from komadori.formats.gltf.document import parse as parse
from komadori.formats.gltf.meshes import character_of as character_of
from komadori.formats.gltf.meshes import mesh_owners as mesh_owners
from komadori.formats.gltf.rig import Rig as Rig
from komadori.formats.gltf.rig import rig_of as rig_of
from komadori.formats.gltf.rig import sized as sized
from komadori.formats.gltf.rig import skeleton_of as skeleton_of
from komadori.formats.gltf.writing import emit as emit
from komadori.formats.gltf.writing import emit_character as emit_character
