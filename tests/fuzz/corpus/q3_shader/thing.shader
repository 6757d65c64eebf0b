// every keyword that is read
models/thing/body
{
	cull disable
	surfaceparm nomarks
	{
		map models/thing/body.tga
		rgbGen lightingDiffuse
		alphaFunc GE128
	}
	{
		animMap 5 models/thing/a.tga models/thing/b.tga
		blendFunc GL_ONE GL_ONE
		rgbGen wave sin 0.5 0.5 0 1
		tcGen environment
		tcMod scale 2 2
		tcMod stretch triangle 1 0.5 0 1
		tcMod transform 1 0 0 1 0.5 0.5
	}
	{
		clampmap $whiteimage
		blendfunc filter
		rgbGen const ( 1 0.5 0 )
		alphaGen lightingSpecular
	}
}
